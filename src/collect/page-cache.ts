/** Covers every application of the advertiser in between: an ID is never assigned below one that was listed. */
export interface HandedOut {
  firstId: number
  lastId: number
}

/** The content of a page, and the link to the next one. */
export interface PageContent {
  readonly content: Buffer
  readonly link: string | undefined
  /** Undefined if the page is empty. */
  readonly handedOut: HandedOut | undefined
}

export interface KeptPage extends PageContent {
  readonly key: string
  /** By content coding; compressed once, on first request. */
  readonly encoded: Map<string, Promise<Buffer>>
}

interface Shelf {
  advertiserId: number
  version: number
  keys: Set<string>
  timer: NodeJS.Timeout
}

interface Entry {
  page: KeptPage
  shelf: Shelf
  bytes: number
}

/** How many names of pages requested once are remembered. Then the set is cleared: an older page would not fit anyway. */
const maxSeen = 100

/** Approximate overhead of an entry in the maps; it also limits the number of empty pages. */
const bytesOfEntry = 1024

/**
 * Caches recently requested pages under their advertiser's version. Every lookup names the primary's version at that
 * moment, so a page is never older than that, whichever node made the last change. The first lookup with a newer
 * version drops the advertiser's older pages; without any lookup, they are dropped after `keepMs`, because erased data
 * must not stay in memory.
 */
export class PageCache {
  readonly #maxBytes: number
  readonly #keepMs: number
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>()
  readonly #shelves = new Map<number, Shelf>()
  /** Keys requested once. */
  #seen = new Set<string>()
  #bytes = 0

  constructor(limits: { bytes: number; keepMs: number }) {
    this.#maxBytes = limits.bytes
    this.#keepMs = limits.keepMs
  }

  get bytes(): number {
    return this.#bytes
  }

  /** `name` identifies everything else that the page depends on, besides the advertiser's applications. */
  get(advertiserId: number, version: number, name: string): KeptPage | undefined {
    if (this.#shelfFor(advertiserId, version) === undefined) return undefined
    const key = keyOf(advertiserId, name)
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.page
  }

  /**
   * Keeps a page from its second request on. A reader who walks through a long list requests each page once, and
   * caching those pages cost more than reading them (decision 034).
   */
  put(advertiserId: number, version: number, name: string, content: PageContent): KeptPage {
    const page = { ...content, key: keyOf(advertiserId, name), encoded: new Map() }
    if (this.#isNew(page.key)) return page
    const shelf = this.#shelfFor(advertiserId, version) ?? this.#newShelf(advertiserId, version)
    // The page was read before a change that another request has already seen.
    if (shelf === undefined) return page
    this.#remove(page.key)
    shelf.keys.add(page.key)
    const entry = { page, shelf, bytes: 0 }
    this.#entries.set(page.key, entry)
    // The URL is stored twice: in the key and in the link.
    this.#grow(entry, page.content.length + 2 * page.key.length + bytesOfEntry)
    return page
  }

  #isNew(key: string): boolean {
    const before = this.#seen.size
    if (before >= maxSeen) this.#seen = new Set()
    return this.#seen.add(key).size !== before
  }

  /** Returns the page in the given content coding. */
  encoded(page: KeptPage, coding: string, make: (content: Buffer) => Promise<Buffer>): Promise<Buffer> {
    const known = page.encoded.get(coding)
    if (known !== undefined) return known
    const made = make(page.content)
    page.encoded.set(coding, made)
    made.then(
      ({ length }) => {
        const entry = this.#entries.get(page.key)
        // The page may have been dropped or replaced in the meantime.
        if (entry?.page === page) this.#grow(entry, length)
      },
      () => page.encoded.delete(coding),
    )
    return made
  }

  /** Returns the shelf of exactly this version; drops an older one. */
  #shelfFor(advertiserId: number, version: number): Shelf | undefined {
    const shelf = this.#shelves.get(advertiserId)
    if (shelf === undefined || shelf.version === version) return shelf
    if (shelf.version < version) this.#drop(shelf)
    return undefined
  }

  /** Undefined if there is a newer shelf. */
  #newShelf(advertiserId: number, version: number): Shelf | undefined {
    if (this.#shelves.has(advertiserId)) return undefined
    const timer = setTimeout(() => this.#drop(shelf), this.#keepMs).unref()
    const shelf: Shelf = { advertiserId, version, keys: new Set(), timer }
    this.#shelves.set(advertiserId, shelf)
    return shelf
  }

  #drop(shelf: Shelf): void {
    clearTimeout(shelf.timer)
    this.#shelves.delete(shelf.advertiserId)
    for (const key of shelf.keys) this.#remove(key)
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    entry.shelf.keys.delete(key)
    this.#bytes -= entry.bytes
  }

  #grow(entry: Entry, bytes: number): void {
    entry.bytes += bytes
    this.#bytes += bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.#remove(oldest)
    }
  }
}

const keyOf = (advertiserId: number, name: string) => `${advertiserId} ${name}`
