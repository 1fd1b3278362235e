// The types of DaybookPlatform that public signatures of this module contain. A program that uses
// other types of DaybookPlatform, such as disks and files, must import that module too.
@_exported import struct DaybookPlatform.ByteView
@_exported import struct DaybookPlatform.DiskError
@_exported import struct DaybookPlatform.FileStatus
@_exported import struct DaybookPlatform.LockHolder
