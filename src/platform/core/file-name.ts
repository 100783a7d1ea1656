import { isVisible } from './text.ts'

/** Short enough to read and to save: ext4 and APFS allow 255 bytes. */
const maxLength = 150
const maxBytes = 255

/** Reserved characters, quotes, control characters, and bidirectional marks, which can reorder the visible name. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it removes control characters.
const unsafe = /[\u0000-\u001F\u007F-\u009F"*:<>?|\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF]/g

/**
 * The name under which a file is stored and delivered: the last part of its path, without characters that could escape
 * a folder, break a header or disguise the extension. Never empty or invisible.
 */
export function safeFileName(name: string): string {
  const clean = lastPart(name.toWellFormed())
    .replace(unsafe, '')
    .replace(/\s+/g, ' ')
    // Visits each run of dots once: without the look-behind, it would start again at each dot of a run.
    .replace(/^[. ]+|(?<![. ])[. ]+$/g, '')
  return isVisible(clean) ? shorten(clean) : 'file'
}

/** The part of a path after its folders, on any system. */
export function lastPart(path: string): string {
  return path.split(/[/\\]/).pop() ?? ''
}

/** Removes whole characters from the end of the stem until the name fits; keeps the extension. */
function shorten(name: string): string {
  const fits = (text: string) => text.length <= maxLength && Buffer.byteLength(text) <= maxBytes
  if (fits(name)) return name
  const extension = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? ''
  // Cut to the maximum first, so that the loop below is short for names of any length.
  const stem = [...name.slice(0, name.length - extension.length)].slice(0, maxLength)
  while (!fits(stem.join('') + extension)) stem.pop()
  return stem.join('').replace(/[. ]+$/, '') + extension
}

/** For HTTP clients that only read ASCII: other characters become underscores. */
export function asciiFileName(name: string): string {
  return name.replace(/[^\x20-\x7E]/gu, '_')
}
