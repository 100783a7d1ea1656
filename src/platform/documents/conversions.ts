import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import process from 'node:process'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import type { ConversionTask } from './conversion-process.ts'
import { type DocumentConversions, type DocumentFile, type DocumentText, documentParts } from './document.ts'

/**
 * Limit: Size of a Word or RTF file that is shown as text. Its conversion holds the whole file in memory, and most of a
 * larger one would be pictures.
 */
const previewFileBytes = 10 * 1024 * 1024
/**
 * Limit: How long the conversion of a Word or RTF file may take. Ordinary files take a fraction of a second; a file that
 * takes longer is probably an attack.
 */
const previewMs = 15_000
/**
 * Limit: Heap of the process that converts a Word or RTF file; an ordinary file needs a tenth. If a file needs more, its
 * process dies and it can only be downloaded.
 */
const previewMemoryMb = 128
/**
 * Limit: Concurrent conversions: each is a process that occupies a whole processor core, which requests need too. One
 * person never has more than one.
 */
const previewsAtOnce = 2
/**
 * Limit: Conversions that wait for their turn, for a few seconds; further ones get 503. Their files have not been
 * opened yet.
 */
const previewsWaiting = 32
/** Limit: Conversions that wait for one person: two pages with three files each. */
const previewsPerPerson = 6

/**
 * Limit: Characters of a Word or RTF file shown in the page: fifty printed pages. Escaping them takes the process some
 * milliseconds.
 */
const previewCharacters = 150_000
/**
 * Limit: Paragraphs, table cells and runs of a Word or RTF file shown in the page; an ordinary file has some hundred.
 * Rendering them takes the process a few milliseconds.
 */
const previewNodes = 5_000
/**
 * Limit: Unpacked text, styles and lists of a previewed docx. A hundred pages unpack to half of this, and reading needs
 * up to fifty times the unpacked size in memory.
 */
const previewUnpackedBytes = 4 * 1024 * 1024

const bounds = {
  previewFileBytes,
  previewMs,
  previewMemoryMb,
  previewsAtOnce,
  previewsWaiting,
  previewsPerPerson,
  documentParts,
}

/** Why a document is not shown; `content`: its reader rejected it. */
export type Refusal = 'busy' | 'size' | 'time' | 'memory' | 'content'

interface ConversionDeps {
  limits?: Partial<typeof bounds>
  onRefused(refusal: Refusal): void
}

/**
 * Converts documents in processes. Each file gets its own process with limited time and memory, because it may have
 * been designed to exhaust both or to make its reader do something else.
 */
export function createConversions({ onRefused, ...deps }: ConversionDeps): DocumentConversions {
  const limits = { ...bounds, ...deps.limits }
  /** People for whom a file is being converted; at most one file each. */
  const running = new Set<string>()
  const waiting: { viewer: string; start(): void }[] = []

  function startNext(): void {
    if (running.size >= limits.previewsAtOnce) return
    const index = waiting.findIndex(({ viewer }) => !running.has(viewer))
    const [next] = index < 0 ? [] : waiting.splice(index, 1)
    if (next === undefined) return
    running.add(next.viewer)
    next.start()
  }

  const taskLimits = {
    characters: previewCharacters,
    nodes: previewNodes,
    parts: limits.documentParts,
    unpackedBytes: previewUnpackedBytes,
  }

  return {
    async convert(kind, file, viewer) {
      const ofViewer = waiting.filter(each => each.viewer === viewer).length
      if (waiting.length >= limits.previewsWaiting || ofViewer >= limits.previewsPerPerson) {
        onRefused('busy')
        return 'busy'
      }
      await new Promise<void>(start => {
        waiting.push({ viewer, start })
        startNext()
      })
      try {
        const isTooLarge = file.size > limits.previewFileBytes
        const result = isTooLarge ? 'size' : await runProcess({ kind, limits: taskLimits }, file, limits)
        if (typeof result !== 'string') return result
        onRefused(result)
        return 'unreadable'
      } finally {
        running.delete(viewer)
        startNext()
      }
    },
  }
}

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
/** The outermost folder of packages: npm installs a service's packages beside it or inside it. */
const packages = createRequire(import.meta.url)
  .resolve('mammoth')
  .replace(/(\/node_modules\/).*/s, '$1')
/**
 * The process may read our code and packages, and otherwise has no access to files, processes or native code; nor may
 * it create code from strings.
 */
export const confinement = [
  '--permission',
  ...[pathOf('../../../src/'), packages, pathOf('../../../package.json')].map(
    path => `--allow-fs-read=${path}`,
  ),
  '--disallow-code-generation-from-strings',
]
const entry = pathOf('./conversion-process.ts')

/** More than the longest text with every character escaped. */
const maxOutputBytes = 4 * 1024 * 1024

async function runProcess(
  task: ConversionTask,
  { open }: DocumentFile,
  { previewMs, previewMemoryMb }: typeof bounds,
): Promise<DocumentText | Refusal> {
  const source = await open()
  const child = spawn(
    process.execPath,
    [...confinement, `--max-old-space-size=${previewMemoryMb}`, entry, JSON.stringify(task)],
    // Passes no settings and no secrets.
    { env: {}, stdio: ['pipe', 'pipe', 'ignore'] },
  )
  let refusal: Refusal | undefined
  const end = (reason: Refusal) => {
    refusal ??= reason
    child.kill('SIGKILL')
  }
  const timer = setTimeout(end, previewMs, 'time')
  const ended = new Promise<NodeJS.Signals | number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(signal ?? code))
  })
  let failure: unknown
  source.once('error', error => {
    failure = error
    end('content')
  })
  // A process that rejects the file early does not read all of it.
  const fed = pipeline(source, child.stdin).catch(() => {})
  const output: Buffer[] = []
  let bytes = 0
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxOutputBytes) end('content')
    else output.push(chunk)
  })
  try {
    const status = await ended
    await fed
    if (failure !== undefined) throw failure
    if (refusal !== undefined) return refusal
    // V8 aborts the process when it runs out of memory.
    if (status === 'SIGABRT') return 'memory'
    if (status !== 0) return 'content'
    const text: unknown = JSON.parse(Buffer.concat(output).toString('utf8'))
    return isDocumentText(text) ? text : 'content'
  } finally {
    clearTimeout(timer)
  }
}

/** Whether this is the text of a document: it comes from a process that has read an untrusted file. */
export function isDocumentText(value: unknown): value is DocumentText {
  return isObject(value) && typeof value.isCut === 'boolean' && isListOf(value.blocks, isBlock)
}

function isBlock(value: unknown): boolean {
  if (isObject(value) && 'cells' in value) return isListOf(value.cells, cell => isListOf(cell, isParagraph))
  return isParagraph(value)
}

function isParagraph(value: unknown): boolean {
  if (!isObject(value) || !isListOf(value.runs, isRun)) return false
  const { heading, item } = value
  const isHeading = heading === undefined || heading === 2 || heading === 3 || heading === 4
  return isHeading && (item === undefined || (isObject(item) && Number.isInteger(item.level)))
}

function isRun(value: unknown): boolean {
  return isObject(value) && typeof value.text === 'string'
}

function isListOf(value: unknown, isEntry: (entry: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isEntry)
}

type Loose = Partial<
  Record<'isCut' | 'blocks' | 'cells' | 'runs' | 'heading' | 'item' | 'level' | 'text', unknown>
>

function isObject(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null
}
