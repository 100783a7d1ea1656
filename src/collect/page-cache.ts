/** What a page of a list is, and where it goes on. */
export interface PageContent {
  readonly content: Buffer
  readonly link: string | undefined
}

export interface KeptPage extends PageContent {
  readonly key: string
  /** By content coding: made once, for whoever asks first. */
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

/** Names of pages that were asked for once; with more it begins anew. What comes back later would find no room, either. */
const mostSeen = 100

/** What the maps need for a page, roughly: it keeps the number of empty pages in bounds. */
const bytesOfEntry = 1024

/**
 * Pages that were asked for lately, each under the version of its advertiser. Whoever asks brings the version that the
 * primary has at that moment, so what is handed out is never older than that, whichever node changed it. With the first
 * question under a newer version everything older of that advertiser is dropped, and without any question after
 * `keepMs`: what was erased must not stay.
 */
export class PageCache {
  readonly #mostBytes: number
  readonly #keepMs: number
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>()
  readonly #shelves = new Map<number, Shelf>()
  /** Asked for once. */
  #seen = new Set<string>()
  #bytes = 0

  constructor(limits: { bytes: number; keepMs: number }) {
    this.#mostBytes = limits.bytes
    this.#keepMs = limits.keepMs
  }

  get bytes(): number {
    return this.#bytes
  }

  /** `name` says everything that the page depends on besides the advertiser's applications. */
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
   * What is asked for the first time is not kept: a reader who goes through a long list asks for each page once, and
   * to hold on to those made each of them cost more than to read it (decision 034).
   */
  put(advertiserId: number, version: number, name: string, content: PageContent): KeptPage {
    const page = { ...content, key: keyOf(advertiserId, name), encoded: new Map() }
    if (this.#isNew(page.key)) return page
    const shelf = this.#shelfFor(advertiserId, version) ?? this.#newShelf(advertiserId, version)
    // It was asked for before something changed, and others have seen the change already.
    if (shelf === undefined) return page
    this.#remove(page.key)
    shelf.keys.add(page.key)
    const entry = { page, shelf, bytes: 0 }
    this.#entries.set(page.key, entry)
    // The URL is in the key and in the link.
    this.#grow(entry, page.content.length + 2 * page.key.length + bytesOfEntry)
    return page
  }

  #isNew(key: string): boolean {
    const before = this.#seen.size
    if (before >= mostSeen) this.#seen = new Set()
    return this.#seen.add(key).size !== before
  }

  /** The page in another coding. */
  encoded(page: KeptPage, coding: string, make: (content: Buffer) => Promise<Buffer>): Promise<Buffer> {
    const known = page.encoded.get(coding)
    if (known !== undefined) return known
    const made = make(page.content)
    page.encoded.set(coding, made)
    made.then(
      ({ length }) => {
        const entry = this.#entries.get(page.key)
        // It may have been dropped or replaced in the meantime.
        if (entry?.page === page) this.#grow(entry, length)
      },
      () => page.encoded.delete(coding),
    )
    return made
  }

  /** Of exactly this version; what is older is dropped. */
  #shelfFor(advertiserId: number, version: number): Shelf | undefined {
    const shelf = this.#shelves.get(advertiserId)
    if (shelf === undefined || shelf.version === version) return shelf
    if (shelf.version < version) this.#drop(shelf)
    return undefined
  }

  /** None where there is a newer one. */
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
      if (this.#bytes <= this.#mostBytes) return
      this.#remove(oldest)
    }
  }
}

const keyOf = (advertiserId: number, name: string) => `${advertiserId} ${name}`
