import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from './html.ts'

test('every value that is not HTML is escaped, and missing ones render as nothing', () => {
  const markup = html`Run <b>${'x&y'}</b> at ${[html`<i>noon</i>`, ' <3 & "it\'s"']}${undefined}${false}${null}${0}.`
  assert.equal(markup.text, 'Run <b>x&amp;y</b> at <i>noon</i> &lt;3 &amp; &quot;it&#39;s&quot;0.')
})

test('HTML in a template without the tag is refused, because it would be escaped later or lose its text', () => {
  const name = html`<b>Ann</b>`
  assert.throws(() => `${name} has left.`, TypeError)
})
