import type { DemoAccounts } from '../../../src/demo/ports.ts'
import { at, hash, redirectUri } from '../scene.ts'
import { exceptions, type StoreFunctions } from '../store-function.ts'

const { demo } = exceptions
const outbox = 'the mails of the demo, which anybody may read'

const accounts: DemoAccounts = {
  createdAt: at,
  advertisers: [
    { id: 7, name: 'Demo', status: 'active', credential: { id: 'c7', hash: 'h7', hint: 'h', label: 'l' } },
  ],
  agents: [{ id: 8, name: 'Agent', authorisedBy: [7] }],
  clients: [
    {
      id: 'client',
      name: 'Client',
      agentId: 8,
      scopes: ['r_profile_apply'],
      advertiserIds: [7],
      redirectUris: [redirectUri],
      secretHash: hash,
    },
  ],
  candidates: [
    {
      id: 'candidate',
      email: 'demo@example.com',
      emailConfirmedAt: at,
      passwordHash: 'x',
      firstName: 'Demo',
      lastName: 'Demo',
      profile: '{}',
      resume: {
        id: 'r',
        fileName: 'r.pdf',
        contentType: 'application/pdf',
        blob: 'r',
        sha256: hash,
        size: 1,
      },
    },
  ],
  members: [{ advertiserId: 7, candidateId: 'candidate', role: 'admin' }],
  screens: [{ advertiserId: 7, id: 5, name: 'Screen', questions: [] }],
  jobAds: [
    {
      advertiserId: 7,
      id: 6,
      title: 'Job',
      location: 'Here',
      description: 'Work',
      reference: 'J-6',
      screenId: 5,
    },
  ],
}

export const demoFunctions: StoreFunctions = {
  'outbox.add': {
    exception: outbox,
    samples: [
      (stores, { fresh, email }) =>
        stores.outbox.add({
          id: fresh(),
          recipient: email,
          subject: 's',
          body: 'b',
          html: '<p>',
          sentAt: at,
        }),
    ],
  },
  'outbox.findHtml': { exception: outbox, samples: [stores => stores.outbox.findHtml('any')] },
  'outbox.list': { exception: outbox, samples: [stores => stores.outbox.list(10)] },
  'demo.state': { exception: demo, samples: [stores => stores.demo.state()] },
  'demo.claim': {
    exception: demo,
    samples: [stores => stores.demo.claim(at, 0), stores => stores.demo.claim(at + 1, 0)],
  },
  'demo.seize': { exception: demo, samples: [stores => stores.demo.seize(at)] },
  'demo.unmark': { exception: demo, samples: [stores => stores.demo.unmark()] },
  'demo.addAccounts': { exception: demo, samples: [stores => stores.demo.addAccounts(accounts)] },
  'demo.listRedirectUris': { exception: demo, samples: [stores => stores.demo.listRedirectUris()] },
  'demo.addRedirectUri': {
    exception: demo,
    samples: [(stores, scene) => stores.demo.addRedirectUri(scene.clientId, redirectUri)],
  },
  'demo.finish': { exception: demo, samples: [stores => stores.demo.finish()] },
  'demo.clear': { exception: demo, samples: [stores => stores.demo.clear()] },
}
