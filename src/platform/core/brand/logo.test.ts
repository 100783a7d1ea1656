import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkLogo } from './logo.ts'

const svg = (inside: string, attributes = '') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"${attributes}>${inside}</svg>`)

/** One transparent pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

const chunk = (type: string, length: number) => {
  const bytes = Buffer.alloc(length + 12)
  bytes.writeUInt32BE(length)
  bytes.write(type, 4, 'latin1')
  return bytes
}

/** Ten groups, each of ten copies of the next: 10,000,000,000 shapes. */
const copies = (before: string, behind: string, element = 'g') =>
  Array.from(
    { length: 10 },
    (_, index) => `<${element} id="a${index}">${`${before}a${index + 1}${behind}`.repeat(10)}</${element}>`,
  ).join('')

describe('logos', () => {
  test('shapes, gradients and references within the file are accepted', () => {
    const gradient =
      '<defs><linearGradient id="a"><stop offset="0" stop-color="#123456"/></linearGradient></defs><rect fill="url(#a)" width="8" height="8"/><use href="#a"/>'
    assert.equal(checkLogo(svg(gradient)).type, 'image/svg+xml')
    assert.equal(
      checkLogo(Buffer.from(`<?xml version="1.0"?>\n<!-- made -->\n${svg('')}`)).type,
      'image/svg+xml',
    )
    assert.equal(checkLogo(png).type, 'image/png')
    assert.equal(
      checkLogo(
        Buffer.from(
          `<?xml version='1.0' encoding='UTF-8' standalone='no'?>\n${svg('<g id="a"><use href="#a"/>5 &gt; 4 &#169; <!-- <script> --></g >\n<text font-family="&quot;Inter&quot;">x</text>', '\n xmlns:xlink = "http://www.w3.org/1999/xlink"')}\n<!-- end -->\n`,
        ),
      ).type,
      'image/svg+xml',
    )
  })

  const hostile: [string, Buffer, RegExp][] = [
    ['a script', svg('<script>alert(1)</script>'), /without <script>/],
    ['a script in capitals', svg('<SCRIPT>alert(1)</SCRIPT>'), /without <SCRIPT>/],
    ['foreign content', svg('<foreignObject/>'), /without <foreignObject>/],
    ['an animation', svg('<animate attributeName="href"/>'), /without <animate>/],
    ['a style sheet', svg('<style>@import "https://example.com"</style>'), /without <style>/],
    ['an event', svg('', ' onload="alert(1)"'), /without onload/],
    ['an event behind a > in quotes', svg('<path d=">" onclick="alert(1)"/>'), /without onclick/],
    ['a foreign reference', svg('<use href="https://example.com/x.svg#a"/>'), /refers to nothing outside/],
    ['an address with a scheme', svg('<use xlink:href="javascript:alert(1)"/>'), /refers to nothing outside/],
    ['a foreign style', svg('<rect style="fill:url(https://example.com)"/>'), /refers to nothing outside/],
    ['an entity', Buffer.from('<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>'), /must be an SVG/],
    ['a page', Buffer.from('<html><svg></svg></html>'), /must be an SVG or PNG/],
    ['no image', Buffer.from('GIF89a'), /must be an SVG or PNG/],
    ['nothing', Buffer.alloc(0), /must be an SVG or PNG/],
    ['bytes that are no text', Buffer.from('<svg \xff>', 'latin1'), /must be an SVG or PNG/],
    [
      'no namespace',
      Buffer.from('<svg viewBox="0 0 8 8"><path d="M0 0h8z"/></svg>'),
      /xmlns="http:\/\/www.w3.org\/2000\/svg"/,
    ],
    ['another namespace within', svg('<g xmlns="http://www.w3.org/1999/xhtml"/>'), /no other namespace/],
    [
      'another character encoding',
      Buffer.from(`<?xml version="1.0" encoding="iso-2022-jp"?>${svg('')}`),
      /in UTF-8/,
    ],
    ['a style sheet beside it', Buffer.from(`<?xml-stylesheet href="#a"?>${svg('')}`), /must be an SVG/],
    ['an instruction within', svg('<?xml-stylesheet href="#a"?>'), /damaged/],
    [
      'a reference in an encoded style',
      svg('<rect fill="u&#114;l(https://example.com)"/>'),
      /refers to nothing outside/,
    ],
    [
      'a reference encoded in hexadecimal',
      svg('<rect fill="url(&#x68;ttps://example.com)"/>'),
      /refers to nothing outside/,
    ],
    [
      'a reference under another prefix',
      svg('<use x:href="https://example.com#a"/>', ' xmlns:x="http://www.w3.org/1999/xlink"'),
      /refers to nothing outside/,
    ],
    ['another base', svg('<use xml:base="https://example.com" href="#a"/>'), /without xml:base/],
    ['an element that does not end', svg('<g>'), /damaged/],
    ['elements that cross', svg('<g><path></g></path>'), /damaged/],
    ['an attribute without quotes', svg('<path d=M0/>'), /damaged/],
    ['something behind its end', Buffer.concat([svg(''), svg('')]), /damaged/],
    [
      'elements within elements without end',
      svg('<g>'.repeat(200) + '</g>'.repeat(200)),
      /nested less deeply/,
    ],
    [
      'references along a chain',
      svg(Array.from({ length: 1500 }, (_, i) => `<g id="${i}"><use href="#${i + 1}"/></g>`).join('')),
      /nested less deeply/,
    ],
    ['copies of copies', svg(copies('<use href="#', '"/>')), /fewer copies/],
    ['patterns of patterns', svg(copies('<path fill="url(#', ')"/>', 'pattern')), /fewer copies/],
    ['ten megabytes', Buffer.alloc(10_000_000, ' '), /at most 64 KiB, and this file has 9766 KiB/],
    ['a PNG that ends early', png.subarray(0, 40), /damaged/],
    [
      'a PNG with a page behind it',
      Buffer.concat([png, Buffer.from('<script>alert(1)</script>')]),
      /damaged/,
    ],
    [
      'a PNG that only names its end',
      Buffer.concat([png.subarray(0, 33), Buffer.from('IEND'.repeat(9))]),
      /damaged/,
    ],
    [
      'a PNG that moves',
      Buffer.concat([png.subarray(0, 33), chunk('acTL', 8), png.subarray(33)]),
      /does not move/,
    ],
  ]
  for (const [name, bytes, message] of hostile) {
    test(`refused: ${name}`, () => {
      assert.throws(() => checkLogo(bytes), message)
    })
  }

  test('a PNG of huge dimensions is refused', () => {
    const large = Buffer.from(png)
    large.writeUInt32BE(100_000, 16)
    assert.throws(() => checkLogo(large), /2048 pixels/)
  })
})
