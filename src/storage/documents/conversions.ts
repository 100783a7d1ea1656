import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import process from 'node:process'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { isDocumentText } from '../../files/documents/text-check.ts'
import type { Limits } from '../../limits.ts'
import type { DocumentConversions, DocumentFile, DocumentText } from '../../model/document.ts'
import type { ConversionTask } from './conversion-process.ts'

type ConversionLimits = Pick<
  Limits,
  | 'previewCharacters'
  | 'previewNodes'
  | 'previewFileBytes'
  | 'previewUnpackedBytes'
  | 'documentParts'
  | 'previewMs'
  | 'previewMemoryMb'
  | 'previewsAtOnce'
  | 'previewsWaiting'
  | 'previewsPerPerson'
>

/** Why a document is not shown; `content`: its reader did not accept it. */
export type Refusal = 'busy' | 'size' | 'time' | 'memory' | 'content'

interface ConversionDeps {
  limits: ConversionLimits
  onRefused(refusal: Refusal): void
}

/**
 * Converts documents in processes. Each file gets a process of its own with bounded time and memory, because it may have
 * been written to exhaust both or to make its reader do something else.
 */
export function createConversions({ limits, onRefused }: ConversionDeps): DocumentConversions {
  /** The people for whom a file is being converted, one each. */
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
    characters: limits.previewCharacters,
    nodes: limits.previewNodes,
    parts: limits.documentParts,
    unpackedBytes: limits.previewUnpackedBytes,
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
/** The outermost folder of packages: npm puts those of an installed service beside it or into it. */
const packages = createRequire(import.meta.url)
  .resolve('mammoth')
  .replace(/(\/node_modules\/).*/s, '$1')
/**
 * The process may read our code and packages, and otherwise has no access to files, processes or native code; nor may it
 * make code from text.
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
  { previewMs, previewMemoryMb }: ConversionLimits,
): Promise<DocumentText | Refusal> {
  const source = await open()
  const child = spawn(
    process.execPath,
    [...confinement, `--max-old-space-size=${previewMemoryMb}`, entry, JSON.stringify(task)],
    // No settings and no secrets.
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
  // A process that refuses the file early does not read all of it.
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
