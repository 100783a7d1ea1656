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
    ['ten megabytes', Buffer.alloc(10_000_000, ' '), /at most 64 KiB, and this file has 9766 KiB/],
    ['a PNG that ends early', png.subarray(0, 40), /damaged/],
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
