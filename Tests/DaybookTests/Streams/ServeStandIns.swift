// The types of two server frameworks that the page on serving uses, with the signatures of
// Hummingbird 2 and Vapor 4. A request is answered without a network.

/// A buffer of bytes, as in both frameworks.
struct ByteBuffer: Sendable {
  let string: String
  init(string: String) { self.string = string }
}

enum Hummingbird {
  struct HTTPField {
    struct Name: Hashable, Sendable {
      let name: String
      init?(_ name: String) { self.name = name }
      private init(known name: String) { self.name = name }
      static let contentType = Name(known: "Content-Type")
    }
  }

  struct HTTPFields: ExpressibleByDictionaryLiteral, Sendable {
    private var values: [HTTPField.Name: String] = [:]
    init(dictionaryLiteral elements: (HTTPField.Name, String)...) {
      for (name, value) in elements { values[name] = value }
    }
    subscript(name: HTTPField.Name) -> String? {
      get { values[name] }
      set { values[name] = newValue }
    }
  }

  struct RequestBody: Sendable {
    /// Calls the closure. If the client disconnects, the caller cancels the task.
    func consumeWithCancellationOnInboundClose<Value: Sendable>(
      _ operation: (RequestBody) async throws -> Value
    ) async throws -> Value {
      let value = try await operation(self)
      try Task.checkCancellation()
      return value
    }
  }

  struct Request: Sendable {
    var headers: HTTPFields
    var body = RequestBody()
  }

  protocol ResponseBodyWriter {
    mutating func write(_ buffer: ByteBuffer) async throws
    consuming func finish(_ trailingHeaders: HTTPFields?) async throws
  }

  struct ResponseBody: Sendable {
    let write: @Sendable (inout any ResponseBodyWriter) async throws -> Void
    init(
      contentLength: Int? = nil,
      _ write: @Sendable @escaping (inout any ResponseBodyWriter) async throws -> Void
    ) { self.write = write }
  }

  struct Response: Sendable {
    enum Status { case ok }
    var status: Status
    var headers: HTTPFields
    var body: ResponseBody
  }

  struct Context {}

  final class Router {
    typealias Handler = @Sendable (Request, Context) async throws -> Response
    private(set) var handler: Handler?
    func get(_ path: String, use handler: @escaping Handler) { self.handler = handler }
  }
}

enum Vapor {
  struct HTTPHeaders: ExpressibleByDictionaryLiteral, Sendable {
    private var values: [(name: String, value: String)]
    init(dictionaryLiteral elements: (String, String)...) {
      values = elements.map { ($0.0, $0.1) }
    }
    func first(name: String) -> String? { values.first { $0.name == name }?.value }
  }

  struct Request: Sendable { var headers: HTTPHeaders }

  protocol AsyncBodyStreamWriter: Sendable {
    func writeBuffer(_ buffer: ByteBuffer) async throws
  }

  struct Response: Sendable {
    struct Body: Sendable {
      let write: @Sendable (any AsyncBodyStreamWriter) async throws -> Void
      init(
        managedAsyncStream write:
          @escaping @Sendable (any AsyncBodyStreamWriter) async throws
          -> Void
      ) { self.write = write }
    }
    var headers: HTTPHeaders
    var body: Body
  }

  final class Application {
    typealias Handler = @Sendable (Request) async throws -> Response
    private(set) var handler: Handler?
    func get(_ path: String..., use handler: @escaping Handler) { self.handler = handler }
  }
}
