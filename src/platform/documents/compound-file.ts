import type { RandomReader } from '../core/random-reader.ts'

/**
 * Reads just enough of the Compound File Binary format ([MS-CFB]) to distinguish a Word document from a spreadsheet,
 * which begin with the same bytes and differ in the names in their root folder, and to read a stream in that folder. A
 * broken or cyclic file yields fewer names or a shorter stream, never an error or an endless loop.
 */
const lastSector = 0xfffffff9
const noEntry = 0xffffffff
const entryBytes = 128
/** Smaller streams are kept in sectors of 64 bytes. */
const smallStreamBytes = 4096
const smallSectorBytes = 64
const storageTypes = { stream: 2, root: 5 }
/** Enough for thousands of names; a Word document has about ten. */
const maxDirectorySectors = 1024

export async function listRootStreams(file: RandomReader): Promise<Set<string>> {
  const container = await openContainer(file)
  return new Set(container === undefined ? [] : (await listStreams(container)).map(({ name }) => name))
}

/** Returns the bytes of these streams of the root folder; undefined for one that does not exist. */
export async function readRootStreams(
  file: RandomReader,
  names: readonly string[],
): Promise<(Uint8Array | undefined)[]> {
  const container = await openContainer(file)
  const streams = container === undefined ? [] : await listStreams(container)
  return Promise.all(
    names.map(async name => {
      const entry = streams.find(each => each.name === name)
      return entry && container?.read(entry)
    }),
  )
}

async function listStreams({ entryAt }: Container): Promise<Entry[]> {
  const root = await entryAt(0)
  if (root?.type !== storageTypes.root) return []
  const streams: Entry[] = []
  // The children form a binary tree. `seen` stops cycles in a malformed one.
  const seen = new Set<number>([0])
  const open = [root.child]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === noEntry || seen.has(id)) continue
    seen.add(id)
    const entry = await entryAt(id)
    if (entry === undefined) continue
    if (entry.type === storageTypes.stream) streams.push(entry)
    open.push(entry.left, entry.right)
  }
  return streams
}

interface Container {
  entryAt(id: number): Promise<Entry | undefined>
  read(entry: Entry): Promise<Uint8Array>
}

interface Entry {
  name: string
  type: number
  left: number
  right: number
  child: number
  start: number
  size: number
}

async function openContainer(file: RandomReader): Promise<Container | undefined> {
  const header = viewOf(await file.read(0, 512))
  if (header.byteLength < 512) return undefined
  const sectorShift = header.getUint16(30, true)
  if (sectorShift !== 9 && sectorShift !== 12) return undefined
  const sectorBytes = 2 ** sectorShift
  const offsetOf = (sector: number) => (sector + 1) * sectorBytes
  const table = await listTableSectors(file, header, sectorBytes, offsetOf)

  async function sectorAfter(sector: number): Promise<number> {
    const perSector = sectorBytes / 4
    const tableSector = table[Math.floor(sector / perSector)]
    if (tableSector === undefined) return noEntry
    return readNumber(file, offsetOf(tableSector) + (sector % perSector) * 4)
  }

  async function chainFrom(first: number, maxSectors: number): Promise<number[]> {
    const sectors: number[] = []
    let sector = first
    while (sector <= lastSector && sectors.length < maxSectors && offsetOf(sector) < file.size) {
      sectors.push(sector)
      sector = await sectorAfter(sector)
    }
    return sectors
  }

  /** Joins the sectors of a chain. A stream is never longer than the file. */
  async function readChain(first: number, size: number): Promise<Uint8Array> {
    const bytes = Buffer.alloc(Math.min(size, file.size))
    const sectors = await chainFrom(first, Math.ceil(bytes.length / sectorBytes))
    let length = 0
    for (const sector of sectors) {
      const part = await file.read(offsetOf(sector), Math.min(sectorBytes, bytes.length - length))
      bytes.set(part, length)
      length += part.length
    }
    return bytes.subarray(0, length)
  }

  const directory = await chainFrom(header.getUint32(48, true), maxDirectorySectors)
  async function entryAt(id: number): Promise<Entry | undefined> {
    const home = directory[Math.floor((id * entryBytes) / sectorBytes)]
    if (home === undefined) return undefined
    const bytes = await file.read(offsetOf(home) + ((id * entryBytes) % sectorBytes), entryBytes)
    return bytes.length < entryBytes ? undefined : entryOf(bytes)
  }

  /** Small streams share the stream of the root entry, and have their own allocation table. */
  async function readSmall({ start, size }: Entry): Promise<Uint8Array> {
    const root = await entryAt(0)
    const shared = root === undefined ? Buffer.alloc(0) : await readChain(root.start, root.size)
    const next = viewOf(await readChain(header.getUint32(60, true), file.size))
    const parts: Uint8Array[] = []
    let sector = start
    for (let left = size; left > 0 && sector <= lastSector; left -= smallSectorBytes) {
      const from = sector * smallSectorBytes
      parts.push(shared.subarray(from, from + Math.min(smallSectorBytes, left)))
      sector = sector * 4 + 4 <= next.byteLength ? next.getUint32(sector * 4, true) : noEntry
    }
    return Buffer.concat(parts)
  }

  return {
    entryAt,
    read: entry => (entry.size < smallStreamBytes ? readSmall(entry) : readChain(entry.start, entry.size)),
  }
}

/** Lists the sectors of the allocation table: the first 109 are in the header, the others in a chain. */
async function listTableSectors(
  file: RandomReader,
  header: DataView,
  sectorBytes: number,
  offsetOf: (sector: number) => number,
): Promise<number[]> {
  const sectors: number[] = []
  for (let index = 0; index < 109; index++) sectors.push(header.getUint32(76 + index * 4, true))
  let next = header.getUint32(68, true)
  // A file never needs more table sectors than it has sectors.
  for (let left = file.size / sectorBytes; left > 0 && next <= lastSector; left--) {
    const view = viewOf(await file.read(offsetOf(next), sectorBytes))
    if (view.byteLength < sectorBytes) break
    for (let offset = 0; offset < sectorBytes - 4; offset += 4) sectors.push(view.getUint32(offset, true))
    next = view.getUint32(sectorBytes - 4, true)
    // These cover every sector of the file.
    if (sectors.length * (sectorBytes / 4) * sectorBytes >= file.size) break
  }
  return sectors.filter(sector => sector <= lastSector)
}

async function readNumber(file: RandomReader, offset: number): Promise<number> {
  const view = viewOf(await file.read(offset, 4))
  return view.byteLength < 4 ? noEntry : view.getUint32(0, true)
}

function entryOf(bytes: Uint8Array): Entry {
  const view = viewOf(bytes)
  // The length is in bytes and includes the terminating zero.
  const nameBytes = Math.max(0, Math.min(64, view.getUint16(64, true)) - 2)
  return {
    name: new TextDecoder('utf-16le').decode(bytes.subarray(0, nameBytes)),
    type: view.getUint8(66),
    left: view.getUint32(68, true),
    right: view.getUint32(72, true),
    child: view.getUint32(76, true),
    start: view.getUint32(116, true),
    size: view.getUint32(120, true),
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
