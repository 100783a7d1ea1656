import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from './html.ts'
import { t } from './t.ts'

test('a sentence is its text, or HTML if its values are not all plain, with every other part escaped', () => {
  assert.equal(t`No emails.`, 'No emails.')
  assert.equal(t`${2} of <${'three'}>`, '2 of <three>')
  const sentence = t`Run <${'x&y'}> at ${html`<b>noon</b>`}.`
  assert.deepEqual(sentence, html`Run &lt;x&amp;y&gt; at <b>noon</b>.`)
  assert.deepEqual(t`Closed${false} ${[html`<b>today</b>`, ' & now']}.`, html`Closed <b>today</b> &amp; now.`)
})
