import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../../platform/web/html.ts'
import { homeMarkup } from './pages.ts'
import type { CheckResult } from './ports.ts'

const homeWith = (results: readonly CheckResult[]) =>
  homeMarkup(
    { results, attention: [], isEmpty: false, doubtedClock: undefined },
    {
      areAllChecks: false,
      isMailOn: true,
      canChange: false,
      form: () => html``,
      button: () => html``,
      ownForm: () => html``,
    },
  ).text

test('a check is OK, recommended or to be fixed, the worst first, and counts as something that needs attention', () => {
  const fine = { what: 'database', isFine: true, says: 'sqlite' }
  const advised = { what: 'backup', isFine: true, isAdvised: true, says: 'none was made here' }
  const wrong = { what: 'disk', isFine: false, says: 'is full' }
  const page = homeWith([fine, advised, wrong])
  assert.match(page, /1 check failed.*1 change is recommended/s)
  assert.match(page, /disk.*danger">Fix<.*backup.*warning">Recommended<.*database.*good">OK</s)
  assert.doesNotMatch(page, /Nothing needs attention/)
  assert.doesNotMatch(homeWith([fine, advised]), /Nothing needs attention|checks? failed/)
  assert.match(homeWith([fine]), /Nothing needs attention/)
})
