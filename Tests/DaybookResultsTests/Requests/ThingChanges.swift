import DaybookJournal
import DaybookStore

extension EditingContext {
  /// Changes something at random.
  func changeThings(_ random: inout RandomFilters) throws {
    guard random.number(3) > 0 else {
      let id = "p\(random.number(7))"
      let exists = try object(Place.self, id: id) != nil
      let place = Place.random(id, using: &random)
      switch random.number(7) {
      case 0 where exists: try delete(Place.self, id: id)
      case 1 where exists: try update(Place.self, id: id) { $0.name = place.name }
      case 2 where exists: try update(Place.self, id: id) { $0.tags = place.tags }
      case 3 where exists: try update(Place.self, id: id) { $0.owner = place.owner }
      case 4 where exists: try update(Place.self, id: id) { $0.keeper = place.keeper }
      case _ where exists: try update(Place.self, id: id) { $0 = place }
      default: try insert(place)
      }
      return
    }
    let id = random.number(14)
    let exists = try object(Thing.self, id: id) != nil
    let thing = Thing.random(id, using: &random)
    switch random.number(10) {
    case 0 where exists: try delete(Thing.self, id: id)
    case 1 where exists: try update(Thing.self, id: id) { $0.place = thing.place }
    case 2 where exists: try update(Thing.self, id: id) { $0.friend = thing.friend }
    case 3 where exists: try update(Thing.self, id: id) { $0.name = thing.name }
    case 4 where exists: try update(Thing.self, id: id) { $0.long = thing.long }
    case 5 where exists: try update(Thing.self, id: id) { $0.moment = thing.moment }
    case 6 where exists: try update(Thing.self, id: id) { $0.friends = thing.friends }
    case 7 where exists: try update(Thing.self, id: id) { $0.twin = thing.twin }
    case _ where exists: try update(Thing.self, id: id) { $0 = thing }
    default: try insert(thing)
    }
  }
}
