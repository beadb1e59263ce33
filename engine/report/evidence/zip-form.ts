const LOCAL = 0x04034b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const END_LENGTH = 22
/** Version 2.0, without attributes of an operating system. */
const MADE_BY = 20

/**
 * Verifies an archive byte by byte: consecutive files, the directory that lists them in the same order, and its end.
 * Names differ, and every byte belongs to one of these parts, so that readers of either list see the same files.
 *
 * @throws Error that says what is wrong, and what to do
 */
export function requireWhole(archive: Buffer): void {
  const end = archive.length - END_LENGTH
  if (end < 0 || archive.readUInt32LE(end) !== END || archive.readUInt16LE(end + 20) !== 0) {
    throw new Error('it does not end as an archive does')
  }
  const count = archive.readUInt16LE(end + 10)
  // The numbers of two disks, and the number of files on this one.
  if (archive.readUInt32LE(end + 4) !== 0 || archive.readUInt16LE(end + 8) !== count) throw other()
  const directory = archive.readUInt32LE(end + 16)
  if (directory > end || archive.readUInt32LE(end + 12) !== end - directory) throw other()
  const names = new Set<string>()
  let at = directory
  let file = 0
  for (let entry = 0; entry < count; entry += 1) {
    if (at + 46 > end || archive.readUInt32LE(at) !== CENTRAL) throw other()
    if (archive.readUInt16LE(at + 4) !== MADE_BY) throw other()
    const name = nameAt(archive, at + 46, archive.readUInt16LE(at + 28))
    if (names.has(name)) throw new Error('two of its files have the same name')
    names.add(name)
    // An extra field, a comment, another disk, or attributes that make it a link.
    if (!archive.subarray(at + 30, at + 42).equals(NOTHING)) throw other()
    if (archive.readUInt32LE(at + 42) !== file) throw other()
    const told = archive.subarray(at + 6, at + 30)
    file = endOfFile(archive, file, told, name)
    at += 46 + archive.readUInt16LE(at + 28)
  }
  if (at !== end || file !== directory) throw other()
}

const NOTHING = Buffer.alloc(12)

/**
 * The position of the next file.
 *
 * @param told the directory's facts about this file: compression, sizes, checksum
 */
function endOfFile(archive: Buffer, at: number, told: Buffer, name: string): number {
  const content = at + 30 + told.readUInt16LE(22)
  if (content > archive.length || archive.readUInt32LE(at) !== LOCAL) throw other()
  const extra = archive.readUInt16LE(at + 28)
  if (!archive.subarray(at + 4, at + 28).equals(told) || extra !== 0) throw other()
  // Sizes may come after the data, where only the directory is read.
  const behind = (told.readUInt16LE(2) & 8) !== 0
  if (behind || nameAt(archive, at + 30, told.readUInt16LE(22)) !== name) throw other()
  return content + told.readUInt32LE(14)
}

const nameAt = (archive: Buffer, at: number, length: number) =>
  archive.toString('latin1', at, at + length)

const other = () =>
  new Error('it is not as assay pack writes one. Unpack it elsewhere, and verify the folder')
