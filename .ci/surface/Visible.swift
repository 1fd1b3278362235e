// A program that imports Daybook alone: the types of the platform that signatures of the library show.
import Daybook

let visible: [Any.Type] = [ByteView.self, DiskError.self, FileStatus.self, LockHolder.self]
