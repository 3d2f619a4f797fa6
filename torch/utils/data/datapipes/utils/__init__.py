"""What pipes share: files, columns, decoders."""
