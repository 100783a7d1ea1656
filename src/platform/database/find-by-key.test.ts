import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withServices } from '../../../test/harness/database.ts'
import { findByKey } from './find-by-key.ts'

withServices('look-ups by key', services => {
  test('find each row for each caller, and undefined where there is none', async () => {
    const { database } = services()
    const values = ['a', 'b'].map(key => ({ key, location: `/${key}`, expires_at: 1 }))
    await database.writer.insertInto('sent_forms').values(values).execute()
    const find = findByKey(
      database,
      'form.key',
      database.reader.selectFrom('sent_forms as form').select('form.location'),
    )
    const found = await Promise.all(['a', 'none', 'b', 'a'].map(find))
    assert.deepEqual(found, [{ location: '/a' }, undefined, { location: '/b' }, { location: '/a' }])
  })
})
