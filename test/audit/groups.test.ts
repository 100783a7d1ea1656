import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditGroups as companyGroups } from '../../src/console/company/audit-pages.ts'
import { auditActions } from '../../src/model/audit-acts.ts'
import { auditGroups } from '../../src/operator/audit/pages.ts'

test('every act on record can be found by a group of the filter, on the page of its chain', () => {
  for (const [action, { chain }] of Object.entries(auditActions)) {
    const [group = ''] = action.split('.')
    if (chain !== 'board') assert.ok(group in companyGroups, `${action} of a company`)
    if (chain !== 'owner') assert.ok(group in auditGroups, `${action} of the board`)
  }
})
