import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditTexts as companyTexts } from '../../src/console/company/audit-texts.ts'
import { auditActions } from '../../src/model/audit.ts'
import { auditTexts as boardTexts } from '../../src/operator/audit/texts.ts'

test('every act on record can be found by a group of the filter, on the page of its chain', () => {
  for (const [action, { chain }] of Object.entries(auditActions)) {
    const [group = ''] = action.split('.')
    if (chain !== 'board') assert.ok(group in companyTexts.groups, `${action} of a company`)
    if (chain !== 'company') assert.ok(group in boardTexts.groups, `${action} of the board`)
  }
})
