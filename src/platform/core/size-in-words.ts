import { numberText } from './locale.ts'

/** Formats 10485760 as "10 MB" and 18211 as "17.8 kB". */
export function sizeInWords(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  const [unit, name] = bytes < 1024 * 1024 ? [1024, 'kB'] : [1024 * 1024, 'MB']
  return `${numberText(bytes / unit, 1)} ${name}`
}
