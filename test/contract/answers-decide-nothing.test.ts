import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { QuestionnaireResult } from '../../src/model/application.ts'
import { plainDraft } from '../harness/applications.ts'
import { harbour } from '../harness/http.ts'
import { Browser } from '../harness/oauth.ts'
import { inDemoWorld } from '../oauth/world.ts'
import { harbourId } from './apply-form.ts'

const questionnaire = (successful: boolean): QuestionnaireResult => ({
  id: '501',
  name: 'Head barista',
  successful,
  questions: [],
})

/** Words that the rows are recognised by. */
const names = ['Aalto', 'Bergen', 'Castor', 'Dorset', 'Elwood']

/** The positions of the names in a text, in the order of their first mention. */
const orderIn = (text: string) =>
  names.filter(name => text.includes(name)).toSorted((one, other) => text.indexOf(one) - text.indexOf(other))

inDemoWorld('applications whose answers fail a questionnaire', world => {
  let ids: number[]
  let cursor: string
  const events = async (from: string) => {
    const path = `/v1/advertiser/events?cursor=${from}&limit=100&include=application`
    return (await world().door.send('GET', path, { headers: harbour })).json()
  }
  before(async () => {
    ;({ cursor } = await events('now'))
    ids = []
    for (const [index, lastName] of names.entries()) {
      const contact = { ...plainDraft().contact, lastName }
      const screen = index === 2 ? {} : { screen: questionnaire(index % 2 === 0) }
      const { id } = await world().services.submissions.add(harbourId, plainDraft({ contact, ...screen }))
      ids.push(id)
      world().clock.advance(1000)
    }
  })

  test('are listed in the order of their arrival, and stay as they arrived', async () => {
    const { door, services } = world()
    const first = (ids[0] ?? 0) - 1
    const list = await door.send('GET', `/v1/advertiser/applications?afterid=${first}`, { headers: harbour })
    const listed: { ID: number }[] = list.json().JobApplications.JobApplicationsList
    assert.deepEqual(
      listed.map(({ ID }) => ID),
      ids,
    )

    const feed: { type: string; data: { applicationId: number }; application: { LastName: string } }[] = (
      await events(cursor)
    ).events
    assert.deepEqual(
      feed.map(({ type, data, application }) => [type, data.applicationId, application.LastName]),
      ids.map((id, index) => ['application.created', id, names[index]]),
    )

    const rae = await Browser.signedIn(world().door, 'rae@example.com')
    const pages = `/console/${harbourId}/applications`
    assert.deepEqual(orderIn((await rae.get(pages)).text), names.toReversed())
    const { text: file } = await rae.get(`${pages}.csv`)
    const inFile = orderIn(file)
    assert.ok(
      [names, names.toReversed()].some(order => order.join() === inFile.join()),
      inFile.join(),
    )

    for (const id of ids) {
      assert.equal((await services.applicationSearch.detail(harbourId, id)).status, 'new')
      assert.deepEqual((await services.progress.history(harbourId, id)).entries, [])
    }
  })
})
