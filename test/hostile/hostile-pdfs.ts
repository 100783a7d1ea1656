import { deflateSync } from 'node:zlib'

/** Files with the extension pdf, each with something by which it could do harm. */

/** Objects in their order, the first of which is the catalogue. */
function pdfOf(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  let length = parts[0]?.length ?? 0
  const add = (part: string | Buffer) => {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part
    parts.push(bytes)
    length += bytes.length
  }
  const offsets = objects.map((object, index) => {
    const offset = length
    add(`${index + 1} 0 obj\n`)
    add(object)
    add('\nendobj\n')
    return offset
  })
  const start = length
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`)
  for (const offset of offsets) add(`${String(offset).padStart(10, '0')} 00000 n \n`)
  add(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`)
  return Buffer.concat(parts)
}

function stream(content: string | Buffer, dictionary = ''): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([
    Buffer.from(`<< /Length ${bytes.length} ${dictionary} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ])
}

const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
const resources = '/Resources << /Font << /F1 5 0 R >> >>'
const page = (more = '', box = '0 0 600 240') =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [${box}] /Contents 4 0 R ${resources} ${more} >>`
const words = (text: string, size = 36) => stream(`BT /F1 ${size} Tf 40 120 Td (${text}) Tj ET`)
const pages = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>'

const html = '<html><script>alert("embedded")</script></html>'
const embedded = pdfOf([
  '<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(a.html) 6 0 R] >> >> /OpenAction << /S /Launch /F (a.html) >> >>',
  pages,
  page('/Annots [8 0 R]'),
  words('embedded'),
  font,
  '<< /Type /Filespec /F (a.html) /EF << /F 7 0 R >> >>',
  stream(html, '/Type /EmbeddedFile /Subtype /text#2Fhtml'),
  '<< /Type /Annot /Subtype /FileAttachment /Rect [0 0 600 240] /FS 6 0 R >>',
])

const template = `<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="f"><event activity="initialize"><script contentType="application/x-javascript">app.alert(1)</script></event><field name="x"><ui><textEdit/></ui><value><exData contentType="text/html"><body xmlns="http://www.w3.org/1999/xhtml"><img src="https://evil.example/xfa"/></body></exData></value></field></subform></template></xdp:xdp>`
const xfa = pdfOf([
  '<< /Type /Catalog /Pages 2 0 R /AcroForm << /XFA 6 0 R /Fields [] >> /NeedsRendering true >>',
  pages,
  page(),
  words('form'),
  font,
  stream(template),
])

const manyKids = Array.from({ length: 10_000 }, (_, index) => `${index + 6} 0 R`).join(' ')
const manyPages = pdfOf([
  '<< /Type /Catalog /Pages 2 0 R >>',
  `<< /Type /Pages /Kids [${manyKids}] /Count 10000 >>`,
  'null',
  words('many'),
  font,
  ...Array.from({ length: 10_000 }, () => page()),
])

/** A picture of 60,000 by 60,000 pixels, in a few bytes. */
const hugeImage = pdfOf([
  '<< /Type /Catalog /Pages 2 0 R >>',
  pages,
  '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 240] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>',
  stream('600 0 0 240 0 0 cm /I Do'),
  stream(
    deflateSync(Buffer.alloc(1_000_000)),
    '/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode',
  ),
])

const password = `/Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> /P -4 >> /ID [<00> <00>]`
const encrypted = pdfOf(['<< /Type /Catalog /Pages 2 0 R >>', pages, page(), words('secret'), font], password)

const endless = pdfOf([
  '<< /Type /Catalog /Pages 2 0 R >>',
  '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>',
])

export interface HostilePdf {
  name: string
  content: Buffer
  /** How many pages are shown; none if it cannot be shown, which the page then says. */
  pages: number
}

export const hostilePdfs = (): HostilePdf[] => [
  { name: 'a file within it', content: embedded, pages: 1 },
  { name: 'an XFA form', content: xfa, pages: 1 },
  {
    name: 'a page of a million points',
    content: pdfOf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      pages,
      page('', '0 0 1000000 1000000'),
      words('huge', 90_000),
      font,
    ]),
    pages: 1,
  },
  {
    name: 'a page without any size',
    content: pdfOf(['<< /Type /Catalog /Pages 2 0 R >>', pages, page('', '0 0 0 0'), words('none'), font]),
    pages: 1,
  },
  { name: '10,000 pages', content: manyPages, pages: 50 },
  { name: 'a picture of 3,600 megapixels', content: hugeImage, pages: 1 },
  { name: 'an encrypted one', content: encrypted, pages: 0 },
  { name: 'one that was cut off', content: embedded.subarray(0, 200), pages: 0 },
  { name: 'pages within themselves', content: endless, pages: 0 },
  { name: 'nothing but the first line', content: Buffer.from('%PDF-1.7\n'), pages: 0 },
]
