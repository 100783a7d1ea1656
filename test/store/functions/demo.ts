import type { DemoBoard } from '../../../src/demo/demo-store.ts'
import { emptyProfile } from '../../../src/model/profile.ts'
import { at, redirectUri } from '../scene.ts'
import { exceptions, type StoreFunctions } from '../store-function.ts'

const { demo } = exceptions
const outbox = 'emails of the demo, which are public'

const boardOf = (advertiserId: number): DemoBoard => ({
  advertisers: [{ id: advertiserId, name: 'Demo' }],
  candidates: [
    {
      id: 'candidate',
      email: 'demo@example.com',
      confirmedAt: '2026-09-01',
      passwordHash: 'x',
      firstName: 'Demo',
      lastName: 'Demo',
      profile: emptyProfile,
    },
  ],
  members: [{ advertiserId, candidateId: 'candidate', role: 'admin' }],
  agents: [],
  operators: [{ candidateId: 'candidate', role: 'operator' as const }],
  questionnaires: [{ advertiserId, id: 5, name: 'Screen', questions: [] }],
  jobAds: [
    {
      advertiserId,
      id: 6,
      title: 'Job',
      location: 'Here',
      description: 'Work',
      reference: 'J-6',
      screenId: 5,
      closingDate: null,
    },
  ],
})

export const demoFunctions: StoreFunctions = {
  'outbox.add': {
    exception: outbox,
    sample: (stores, { fresh, email }) =>
      stores.outbox.add({
        id: fresh(),
        recipient: email,
        subject: 's',
        body: 'b',
        html: '<p>',
        sentAt: at,
      }),
  },
  'outbox.findHtml': { exception: outbox, sample: stores => stores.outbox.findHtml('any') },
  'outbox.list': { exception: outbox, sample: stores => stores.outbox.list(10) },
  'demo.state': { exception: demo, sample: stores => stores.demo.state() },
  'demo.world': { exception: demo, sample: stores => stores.demo.world() },
  'demo.claim': {
    exception: demo,
    samples: [
      stores => stores.demo.claim('australia', at, 0),
      stores => stores.demo.claim('berlin', at + 1, 0),
    ],
  },
  'demo.seize': { exception: demo, sample: stores => stores.demo.seize('berlin', at) },
  'demo.unmark': { exception: demo, sample: stores => stores.demo.unmark() },
  'demo.addBoard': {
    exception: demo,
    sample: (stores, { advertiserId }) => stores.demo.addBoard(boardOf(advertiserId), at),
  },
  'demo.listRedirectUris': { exception: demo, sample: stores => stores.demo.listRedirectUris() },
  'demo.keepHooks': { exception: demo, sample: async stores => (await stores.demo.keepHooks())(1) },
  'demo.addRedirectUri': {
    exception: demo,
    sample: (stores, scene) => stores.demo.addRedirectUri(scene.clientId, redirectUri),
  },
  'demo.finish': { exception: demo, sample: stores => stores.demo.finish('berlin') },
  'demo.clear': { exception: demo, sample: stores => stores.demo.clear() },
}
