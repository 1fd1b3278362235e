// The types of the platform that the signatures of the library show. Its other types, such as disks and files,
// need an import of their own.
@_exported import struct DaybookPlatform.ByteView
@_exported import struct DaybookPlatform.DiskError
@_exported import struct DaybookPlatform.FileStatus
@_exported import struct DaybookPlatform.LockHolder
