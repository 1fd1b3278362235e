// The disk of a journal, and what it reports, come with the journal.
@_exported import DaybookPlatform
