import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withServices } from '../../../test/harness/database.ts'
import { builtInLists, readList } from '../../model/own-lists.ts'
import { createListEntryStore } from './list-entry-store.ts'
import { createListMeanings } from './service.ts'

withServices('the meanings of IDs', services => {
  const meanings = (...entries: object[]) => {
    const own = { locations: readList('locations', JSON.stringify(entries)) }
    const store = createListEntryStore(services().database)
    return createListMeanings({ store, lists: { ...builtInLists, ...own, own } })
  }
  const potsdam = { id: 'de-bb-p', name: 'Potsdam' }

  test('an ID means the same at every start, also after it was left out', async () => {
    await meanings({ id: 'de-be', name: 'Berlin' }, potsdam).record()
    await meanings(potsdam).record()
    const reused = meanings(potsdam, { id: 'de-be', name: 'Bern' }, { id: 'new', name: 'New' })
    const message = /^locations.json: entry 2 \(ID "de-be"\): this ID means "Berlin"/
    await assert.rejects(reused.record(), { message })
    await assert.rejects(reused.check(), { message })
    await meanings({ id: 'de-be', name: 'Berlin (city)', was: ['Berlin'] }).record()
    await meanings({ id: 'de-be', name: 'Berlin' }, { id: 'new', name: 'Newer' }).record()
  })

  test('an ID of the built-in lists keeps its first name there', async () => {
    await meanings({ id: '1300', name: 'Brisbane (QLD)', was: ['Brisbane QLD'] }).record()
    await meanings({ id: '1300', name: 'Brisbane QLD' }).record()
    await meanings({ id: '1300', name: 'Greater Brisbane', was: ['Brisbane QLD'] }).record()
  })

  test('a start that is refused reserves no names', async () => {
    const both = (locations: string, industries: string) => {
      const own = {
        locations: readList('locations', JSON.stringify([{ id: 'y', name: locations }])),
        industries: readList('industries', JSON.stringify([{ id: 'x', name: industries }])),
      }
      const store = createListEntryStore(services().database)
      return createListMeanings({ store, lists: { ...builtInLists, ...own, own } })
    }
    await both('Bonn', 'Mining').record()
    const wrong = createListMeanings({
      store: createListEntryStore(services().database),
      lists: {
        ...builtInLists,
        own: {
          locations: readList('locations', JSON.stringify([{ id: 'z', name: 'Berln' }])),
          industries: readList('industries', JSON.stringify([{ id: 'x', name: 'Farming' }])),
        },
      },
    })
    await assert.rejects(wrong.record(), /"Mining"/)
    await meanings({ id: 'z', name: 'Berlin' }).record()
  })

  test('of nodes that start at once with different lists, one is refused', async () => {
    for (let round = 0; round < 5; round++) {
      const lists = ['A', 'B'].map(name =>
        meanings({ id: `r${round}`, name }, { id: `s${round}`, name: `${name}s` }),
      )
      const starts = await Promise.allSettled(lists.map(list => list.record()))
      assert.deepEqual(starts.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    }
  })

  test('describes what is loaded', () => {
    assert.match(
      meanings(potsdam).describe(),
      /^locations are yours \(1, [0-9a-f]{8}\), qualifications are built in \(16\), industries are built in \(31\)$/,
    )
  })
})
