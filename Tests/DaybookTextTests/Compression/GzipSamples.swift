import DaybookStore

/// Files that the library zlib has compressed, in base64.
enum GzipSamples {
  /// The text of ``dynamic``.
  static let text = (0..<400).map { "\($0),name \($0 % 7) of \($0 * $0 % 1000)\n" }.joined()

  /// A file with all fields in its header, and blocks with codes of their own.
  static let dynamic = """
    H4sIHgAAAAAAAwMAYWJjbmFtZQBjb21tZW50AHlxZZk7tmU3CETzM4oegAMB+sBwHNiZ7flnpvSSKnV47tKikEAb0B1//Pvn\
    P3/9Gr/++/vX+Ozny/Bln/98Ob7mFz9fga/65s/XvCv3t34+Fz59ffvnc+Mz9ndIZNaXpLLnVyST9tkgIRvtlLGW9wonNZvz\
    syA92/XZJEWr/dkiTW8PbZOqr15xSNazbSTJhrdKkWzsPp9BsrM9deONzl7hJDtzfh4ku7w+nyS7zv58kexuT32T7MaKQ7IH\
    NpJkD1SKZLP9iEGy1Z6GcTR7L+Ek25uNINU+jZh8xH1esUgUJxqbj7jPPA6JRkclkkRnxy2KRFdHdg7ea/s5jWR3Z8d03mtn\
    zwzZa2fm5L129s3FkV3f3JxPnbzzcPaONpGcv6NFigM77FuDVFc7uoxUN1Y4qZ62sYJks1XWJNnCJVok246uzVncO1mHj7j3\
    ulKOuEWKj7jPaw9Op3Z0G6mePvPtpJodlR0kWx23PUm2A7sX3x1c902q0cmxD6nOTp+dHNjOr12cxJ2AZ7BqO3oYRp3Dh3Fk\
    neWHiRR9Dw5DafZNOUtU13cYTAcrGE0FGynp9B2mk7cbyXjCpU/G0+qdpMsJzy8ZT9mnkYynPq586ZRMp+gjT6bT6pgk0+l0\
    1JLpVB3XYjqBo8V08s6NEjqBxEyn3flVTKfsDCymUztaDCfvHK4jTGwTDKfd96AETgPAZzo17wfDye8KptNsIzZCSNG4Hkyo\
    bFdsCKKa+UMQFVjCjJoTZhhSe0OKKZWoUMaY+ilRzKlAjTIG1UKRMibVQZUyQRXKlAmr4LMxrSYKlTGuNiqVMa8KpcoYWLZR\
    M5lYyFtzQdbEGmZWdvabh9Te1nKmVvQVMmds4ZaZM7jyrmFy/dgRdF0tZtf1JxheYIIF0+vuKxhfE3sP5tc9nxCA4QzjRZgF\
    M2wiFsEQu/EKptjtO+oN+xyS7u3yZI7d9JlCMqTYDKmMaGCYZQepOp8ey6Z0WUj4eUQcZhhnhYszBWi4XIuJhlpmy6RUYY20\
    XLCz4rnotphqB/4s4Vq7vIRr2NU6EnSYYbIVTmcx2gAu28y2e8rbBORY41Is286W5gsB3cI3BH0L4G6jyIhbSJ59Hp7bTmmG\
    oMWUQ1Ww8/ZgdoRzSPjDnFu4FCcE6611mHOOy3WYc/cCHgZd3TXSjF07ArqrxaCDO8mcu8xIe8q2JXPOsPUMaXrRSTPnEkeY\
    v3EumXMLoUjmHPoQS+nLENJkzqGbsWLOXTYXcw49kZVwDilWIe1vaxVzbiNV62nPrBhzEwlfR2obzKRcN0gJ5gbGCMZcTxHD\
    5NixQnq0tuKDIYee1QdDbrc3PgRyPUkMYVxgCTMO3bMPZpxvSNXTg7sx5OwOPgw5dPJuDLnqWLlJv9bxdBPIdczdBHLw2Zhy\
    e2ENUy5hJkUcUgw5jDfub9vmLpC7w5oLZ9qOxztquUyWmMacIXcHNmfK3SXSvV0zArkrVVJb2p1gyAEYHgy5O4EGQy6x9WDI\
    YY71YMgdnGC8kPOQIRORiPPM1B7SySGiUVLV2585ZAxqnydDDskzhXFIsMmMQw5ORtxCns6nlfPJhFvI9smEg5GUsgYd5lt7\
    shhvKHy+GG9YIU0cbCyGW6ssRtv1Yz3jpi8hG3azzrPhxWC7Z7IYbDi2zVy7J7uZa/f0t0sxbTNb+jdEcc830lu4dl8cGGw3\
    Y7ZMnsiqzWC7mbdL7nf7c97+zY+9WX4YbfcmHEbbvS1nSufcPzDZ7p07jLZ7L4+0b9dMvvf7lMy+7U4OmfTb5TSZfrHG5RGn\
    7WRIH9E/MNkutfI3sqUMo4hEHrnfsCP9GyKaJeLtTr0PZl6Mtkvs8pfqJUMpkrAYbbc61NO/eTHZbo0peTZDHaqU5hFS9dSz\
    GIy20d8mjStWSPfWVmIw2FBbYzDYUH9jPONpjP1U8RjMNVT6GMw1dAMxSjqYdseYa3Yf0Jhr6DzCGGzoTsLi6WDChGx4JLPf\
    3tGM0YZuKUymVLzGGcMNXVdYybSCF723ewtnvOFZ0F1GpTbjzDf0ieEypPbNCmfC4faFM+L8rjlP3xoujLtazDj0vxFDxpV2\
    OUx6dqxxaR3xVCkvaziemE/PHvFCLkKGVIQijvTssCPdG0IaDDnMGTHfF7aY9swrMQVySLEpQyrScDLkMBvFfPq3mAw5TFgx\
    5aENl2LmM6nFFMjhcq0hZa1dXibXDWukf4OdFdK4ttZiymECjfUMqbEEctjVkn8DsPPFkMM8HEv+E8AJ7iHi7fI2eZ/HGtfx\
    PLa0bwjoFsYh6Pt9e4vNkMNrQWwZUpFgmyGHV4fY9bxMxHn7tziCOST8YczhFSROSFVvrSNDKi7Xef8jiLOfV5k40r9dO8K5\
    q1XyT0z7k8y5y4xkzt19JXMOr02R8bxIRTLn8GoV+RvnUoZUxCKPNM6wI00cYpr1hr3e17gokwEdawR0SLGSKRVpWAw6vA5G\
    Pa1cFHMOb4xR53mHjEp5GIGUcK4v1/8DM7BQdRsAAA==
    """

  /// The text "abcabcabcabc" in twenty lines, with the fixed codes.
  static let fixed = """
    H4sIAAAAAAAAA0tMSk6EIa7EkckBAGTFA/wEAQAA
    """

  /// The text "hello" in three lines, not compressed.
  static let stored = """
    H4sIAAAAAAAAAwESAO3/aGVsbG8KaGVsbG8KaGVsbG8KOjdmPRIAAAA=
    """

  static func bytes(_ sample: String) throws -> [UInt8] { try Base64Text.bytes(sample) }
}
