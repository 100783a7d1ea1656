/** As long as common file systems allow, so that what we hand out can be saved. */
const maxLength = 150

/** Path separators, quotes, controls, and the marks that can turn a name's visible order around. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes.
const unsafe = /[\u0000-\u001F\u007F-\u009F"*:<>?|\u200E\u200F\u202A-\u202E\u2066-\u2069\uFFFE\uFFFF]/g

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
  if (clean === '') return 'file'
  if (clean.length <= maxLength) return clean
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(clean)?.[0] ?? ''
  // Cutting may split a surrogate pair; the half that is left is dropped.
  return (
    clean
      .slice(0, maxLength - ending.length)
      .replace(/[\uD800-\uDBFF]$/, '')
      .trimEnd() + ending
  )
}

/** For readers of headers that know ASCII only; they get underscores where the others get the name. */
export function asciiFileName(name: string): string {
  return name.replace(/[^\x20-\x7E]/gu, '_')
}
