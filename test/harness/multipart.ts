import type { Browser } from './oauth.ts'

/** A form with files, byte for byte as it is sent. */

export interface Part {
  name: string
  content: string | Buffer
  fileName?: string
  type?: string
}

export const boundary = 'the-boundary'

export function bodyOf(parts: readonly Part[], between = boundary): Buffer {
  const pieces = parts.flatMap(({ name, content, fileName, type }) => {
    const file = fileName === undefined ? '' : `; filename="${fileName}"`
    const kind = type === undefined ? '' : `Content-Type: ${type}\r\n`
    const head = `--${between}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${kind}\r\n`
    return [Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]
  })
  return Buffer.concat([...pieces, Buffer.from(`--${between}--\r\n`)])
}

export const cookiesOf = (browser: Browser) =>
  [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
