// The types of the platform in public signatures of this library. Other types of the platform, such
// as disks and files, need their own import.
@_exported import struct DaybookPlatform.ByteView
@_exported import struct DaybookPlatform.DiskError
@_exported import struct DaybookPlatform.FileStatus
@_exported import struct DaybookPlatform.LockHolder
