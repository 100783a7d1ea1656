import { isolateBidi } from '../../platform/web/bidi.ts'
import { badge, table } from '../../platform/web/components.ts'
import { choice, type Forms, inputs, row, textInput } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { shortDay } from '../../platform/web/time.ts'
import { invitationSeconds } from './links-service.ts'
import type { Colleague, Invitation, WorkplaceRole } from './rules.ts'

/** The actions depend on the workplace: otherwise, the people of companies, agents and the board look the same. */
interface PeopleView<R extends WorkplaceRole> {
  caption: string
  /** Account ID of the reader. */
  ownId: string
  people: readonly Colleague<R>[]
  invitations: readonly Invitation<R>[]
  canChange: boolean
  /** Why the reader cannot change the list. */
  readOnly: string
  hasFactors?: boolean
  actionsOf(person: Colleague<R>): Html
  revoke(invitation: Invitation<R>): Html
}

/** The list of people and of open invitations. */
export const peopleMarkup = <R extends WorkplaceRole>({
  caption,
  ownId,
  people,
  invitations,
  canChange,
  readOnly,
  hasFactors = false,
  actionsOf,
  revoke,
}: PeopleView<R>): Html => html`<div class="people">
<h2 class="first">Members</h2>
${table({
  caption,
  rows: people,
  columns: [
    ['Person', person => personCell(person, ownId)],
    ['Role', roleBadge],
    ['Since', ({ since }) => shortDay(since)],
    ...(hasFactors ? [factorColumn] : []),
  ],
  actions: canChange && actionsOf,
})}
${!canChange && html`<p class="quiet">${readOnly}</p>`}
${(canChange || invitations.length > 0) && html`<h2>Open invitations</h2>`}
${
  (canChange || invitations.length > 0) &&
  table({
    caption: 'Invitations that have not been accepted yet',
    empty: 'No open invitations.',
    rows: invitations,
    columns: [
      ['Email address', ({ email }) => isolateBidi(email)],
      ['Role', roleBadge],
      ['Invited', ({ createdAt }) => shortDay(createdAt)],
      ['Valid until', ({ expiresAt }) => shortDay(expiresAt)],
    ],
    actions: canChange && revoke,
  })
}
</div>`

/** The form below the list. `text` gets the days for which an invitation is valid. */
export const inviteForm = (
  form: Forms['form'],
  {
    title,
    text,
    roles,
    ...options
  }: Pick<Parameters<Forms['form']>[0], 'action' | 'act' | 'isOnce' | 'label'> & {
    title: string
    text(days: number): string
    /** Roles and what each may do; the first is preselected. */
    roles: readonly { id: string; description: string }[]
  },
): Html => html`<h2>${title}</h2>
${form({
  ...options,
  text: text(Math.floor(invitationSeconds / 86_400)),
  fields: [
    row(
      textInput({ name: 'email', label: 'Email address', attributes: inputs.email }),
      choice({ name: 'role', label: 'Role', value: roles[0]?.id ?? '', choices: roles }),
    ),
  ],
})}`

export const nameOf = ({ firstName, lastName, email }: Colleague<WorkplaceRole>): string =>
  `${firstName} ${lastName}`.trim() || email

/** Hides an action that the store would reject. */
export function isLast<R extends WorkplaceRole>(
  people: readonly Colleague<R>[],
  highest: R,
  candidateId: string,
): boolean {
  const those = people.filter(({ role }) => role === highest)
  return those.length === 1 && those[0]?.candidateId === candidateId
}

const roleNames: Record<WorkplaceRole, string> = {
  recruiter: 'Recruiter',
  reader: 'Reader',
  admin: 'Admin',
  operator: 'Operator',
  viewer: 'Viewer',
}

const roleBadge = ({ role }: { role: WorkplaceRole }) =>
  badge(role === 'admin' || role === 'operator' ? 'good' : 'neutral', roleNames[role])

const personCell = (person: Colleague<WorkplaceRole>, ownId: string): Html =>
  html`${isolateBidi(nameOf(person))}${person.candidateId === ownId && html` <span class="quiet">(you)</span>`}<span class="address">${isolateBidi(person.email)}</span>`

const factorColumn = [
  'Two-step',
  ({ hasFactor = false }: { hasFactor?: boolean }) =>
    hasFactor ? badge('good', 'On') : badge('neutral', 'Off'),
] as const
