import DaybookJournal
import Glibc

func now() -> Int64 { MachineClock().uptimeNanoseconds }
let dir = "/work/main/.build/bench"
mkdir(dir, 0o700)
func fresh(_ n: String) -> String { let p = "\(dir)/\(n)"; unlink(p); unlink(p + "-end"); return p }

let payload = [UInt8](repeating: 7, count: 100)
let j = try FileJournal(at: fresh("a.daybook"))
let raw = open(fresh("raw"), O_RDWR | O_CREAT, 0o600)
let zeros = [UInt8](repeating: 0, count: 4 << 20)
pwrite(raw, zeros, zeros.count, 0); fsync(raw)
var a: [Int64] = [], b: [Int64] = []
let frame = [UInt8](repeating: 7, count: 160)
var off = 0
for _ in 0..<2000 {
  var t = now(); _ = try j.appendAndWait(payload); a.append(now() - t)
  t = now(); pwrite(raw, frame, 160, off_t(off)); fdatasync(raw); b.append(now() - t); off += 160
}
a.sort(); b.sort()
print("sync single ours \(a[1000]) raw \(b[1000]) ratio \(Double(a[1000])/Double(b[1000]))")
a = []; b = []
for _ in 0..<2000 {
  var t = now(); _ = try await j.append(payload); a.append(now() - t)
  t = now(); pwrite(raw, frame, 160, off_t(off)); fdatasync(raw); b.append(now() - t); off += 160
}
a.sort(); b.sort()
print("async single ours \(a[1000]) raw \(b[1000]) ratio \(Double(a[1000])/Double(b[1000]))")
let t1 = now()
for _ in 0..<1000 { _ = try await j.append(payload) }
let t2 = now()
await withTaskGroup(of: Void.self) { g in
  for _ in 0..<64 { g.addTask { for _ in 0..<500 { _ = try! await j.append([UInt8](repeating: 7, count: 100)) } } }
}
let t3 = now()
let one = 1000.0 / Double(t2 - t1), many = 32000.0 / Double(t3 - t2)
print("one \(one*1e9)/s many \(many*1e9)/s ratio \(many/one)")
print(j.head.sequence)
let t4 = now()
var r = try j.transactions(from: 1); var n = 0
while let t = try r.next() { n += t.payload.count }
print("read", n, Double(now() - t4) / Double(j.head.sequence.rawValue), "ns/tx")
try j.close()
let t5 = now()
let k = try FileJournal(at: "\(dir)/a.daybook")
print(k.report, now() - t5)
try k.close()
