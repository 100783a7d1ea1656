import { boardId } from '../../../src/people/members/rules.ts'
import { at, later, newInvitation } from '../scene.ts'
import { exceptions, type StoreFunctions } from '../store-function.ts'

const { operator: exception, secret } = exceptions

const newOperator = (id: string, email: string, role: 'operator' | 'viewer' = 'operator') => ({
  ...newInvitation(id, email),
  role,
})
const run = {
  name: 'expiry',
  startedAt: at,
  endedAt: later,
  detail: { did: { sessions: 2 } },
  everySeconds: 60,
}

/** The people who run the board, and its background tasks. */
export const operatorFunctions: StoreFunctions = {
  'operators.find': { exception, sample: (stores, { candidateId }) => stores.operators.find(candidateId) },
  'operators.isAny': { exception, sample: stores => stores.operators.isAny() },
  'operators.list': { exception, sample: stores => stores.operators.list(boardId) },
  'operators.listInvitations': { exception, sample: stores => stores.operators.listInvitations(boardId, at) },
  'operators.invite': {
    exception,
    shared: ['operator_invitations'],
    samples: [
      (stores, { fresh }) =>
        stores.operators.invite(boardId, newOperator(fresh(), 'operator@example.com'), 99),
      (stores, { fresh }) =>
        stores.operators.invite(boardId, newOperator(fresh(), 'viewer@example.com', 'viewer'), 99),
    ],
  },
  'operators.findInvitation': {
    exception: secret,
    sample: stores => stores.operators.findInvitation('unknown', at),
  },
  'operators.join': {
    exception: secret,
    samples: [
      (stores, { candidateId }) =>
        stores.operators.join('unknown', { candidateId, email: 'first@example.com' }, at),
      async (stores, { candidateId, fresh }) => {
        for (const role of ['viewer', 'operator'] as const) {
          const invitation = newOperator(fresh(), 'joins@example.com', role)
          await stores.operators.invite(boardId, invitation, 99)
          await stores.operators.join(invitation.hash, { candidateId, email: invitation.email }, at)
        }
      },
    ],
  },
  'operators.joinWithAccount': {
    exception: secret,
    sample: async (stores, { fresh }) => {
      const invitation = newOperator(fresh(), `${fresh()}@example.com`)
      await stores.operators.invite(boardId, invitation, 99)
      const account = { passwordHash: 'new', firstName: 'Olga', lastName: 'Orr', profile: '{}' }
      await stores.operators.joinWithAccount(invitation.hash, { candidateId: fresh(), ...account }, at)
    },
  },
  'operators.takeBack': { exception, sample: stores => stores.operators.takeBack(boardId, 'unknown') },
  'operators.remove': {
    exception,
    sample: (stores, { candidateId }) => stores.operators.remove(boardId, candidateId, { mayBeLast: true }),
  },
  'board.companies': { exception, sample: stores => stores.board.companies('2026-01-01') },
  'board.unjudged': { exception, sample: stores => stores.board.unjudged() },
  'board.infected': { exception, sample: stores => stores.board.infected(10) },
  'board.refused': { exception, sample: stores => stores.board.refused(10) },
  'board.liftRefusal': { exception, sample: stores => stores.board.liftRefusal('unknown') },
  'board.record': {
    exception,
    sample: stores => stores.board.record({ action: 'task.run', scope: 'board', target: 'task:expiry' }),
  },
  'board.nodes': { exception, sample: stores => stores.board.nodes() },
  'board.findPerson': { exception, sample: stores => stores.board.findPerson('first@example.com') },
  'taskRuns.record': {
    exception,
    shared: ['task_runs'],
    samples: [
      stores => stores.taskRuns.record({ ...run, outcome: 'done' }),
      stores => stores.taskRuns.record({ ...run, outcome: 'failed', fault: 'no disk' }),
    ],
  },
  'taskRuns.list': { exception, sample: stores => stores.taskRuns.list() },
}
