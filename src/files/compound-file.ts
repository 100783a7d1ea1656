import type { RandomReader } from '../core/random-reader.ts'

/**
 * Reads just enough of the Compound File Binary format ([MS-CFB]) to tell a Word document from a spreadsheet: both
 * begin with the same bytes, and only the names in the root folder differ. A broken or cyclic file yields fewer names,
 * never an error or an endless loop.
 */
const lastSector = 0xfffffff9
const noEntry = 0xffffffff
const entryBytes = 128
const storageTypes = { stream: 2, root: 5 }
/** Enough for thousands of names; a Word document has about ten. */
const maxDirectorySectors = 1024

export async function listRootStreams(file: RandomReader): Promise<Set<string>> {
  const names = new Set<string>()
  const directory = await openDirectory(file)
  const root = await directory?.(0)
  if (directory === undefined || root?.type !== storageTypes.root) return names

  // The children form a binary tree. `seen` stops cycles in a malformed one.
  const seen = new Set<number>([0])
  const open = [root.child]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === noEntry || seen.has(id)) continue
    seen.add(id)
    const entry = await directory(id)
    if (entry === undefined) continue
    if (entry.type === storageTypes.stream) names.add(entry.name)
    open.push(entry.left, entry.right)
  }
  return names
}

interface Entry {
  name: string
  type: number
  left: number
  right: number
  child: number
}

async function openDirectory(
  file: RandomReader,
): Promise<((id: number) => Promise<Entry | undefined>) | undefined> {
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

  const sectors: number[] = []
  let sector = header.getUint32(48, true)
  while (sector <= lastSector && sectors.length < maxDirectorySectors && offsetOf(sector) < file.size) {
    sectors.push(sector)
    sector = await sectorAfter(sector)
  }

  return async id => {
    const home = sectors[Math.floor((id * entryBytes) / sectorBytes)]
    if (home === undefined) return undefined
    const bytes = await file.read(offsetOf(home) + ((id * entryBytes) % sectorBytes), entryBytes)
    return bytes.length < entryBytes ? undefined : entryOf(bytes)
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
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
