/** Short enough to read, and to be saved: ext4 and APFS take 255 bytes. */
const maxLength = 150
const maxBytes = 255

/** Path separators, quotes, controls, and the marks that can turn a name's visible order around. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes.
const unsafe = /[\u0000-\u001F\u007F-\u009F"*:<>?|\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF]/g

/**
 * The name under which a file is stored and handed out again: its last path part, without anything that
 * could leave a folder, break a header or disguise the ending. Never empty.
 */
export function safeFileName(name: string): string {
  const base = name.toWellFormed().split(/[/\\]/).pop() ?? ''
  const clean = base
    .replace(unsafe, '')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  return clean === '' ? 'file' : shorten(clean)
}

/** Whole characters go from the end of the name until it fits; its ending stays. */
function shorten(name: string): string {
  const fits = (text: string) => text.length <= maxLength && Buffer.byteLength(text) <= maxBytes
  if (fits(name)) return name
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? ''
  // Never longer than this: what is cut off by the end is cut off at once.
  const stem = [...name.slice(0, name.length - ending.length)].slice(0, maxLength)
  while (!fits(stem.join('') + ending)) stem.pop()
  return stem.join('').replace(/[. ]+$/, '') + ending
}

/** For readers of headers that know ASCII only; they get underscores where the others get the name. */
export function asciiFileName(name: string): string {
  return name.replace(/[^\x20-\x7E]/gu, '_')
}
