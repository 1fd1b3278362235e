// A program that imports Daybook alone: none of these types is in its scope.
import Daybook

let disk: (any Disk)?
let file: (any DiskFile)?
let watch: (any DiskWatch)?
let system: SystemDisk?
let mapping: Mapping?
let access: FileAccess?
let identity: FileIdentity?
