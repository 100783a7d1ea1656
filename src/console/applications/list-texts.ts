import { lazily } from '../../core/lazily.ts'
import type { ApplicationStatus } from '../../model/application-status.ts'
import { statusLabels } from '../../model/application-status.ts'
import { stripBidi } from '../../web/bidi.ts'

const numbers = lazily(() => new Intl.NumberFormat('en-GB'))
const applications = (count: number) =>
  count === 1 ? '1 application' : `${numbers().format(count)} applications`

/** Status tabs and the selection of applications in the list. */
export const listTexts = {
  number: (count: number) => numbers().format(count),
  tabs: 'Status',
  all: 'All',
  unreadFirst: 'Show unread first',
  newestFirst: 'Show newest first',
  choose: (name: string) => `Select ${stripBidi(name)}`,
  chooseAll: 'Select all on this page',
  selected: 'With selected:',
  newStatus: 'New status',
  chooseStatus: 'Choose a status',
  tell: 'Tell candidates by email',
  change: 'Change status',
  files: 'Download files',

  noneChosen: 'Nothing was changed. Select at least one application.',
  noneToPack: 'Select at least one application in the list, then download their files.',
  noStatus: 'Nothing was changed. Choose the new status first.',
  tooMany: (max: number) => `Nothing was done. Select ${max} applications or fewer.`,
  changed: (count: number, status: ApplicationStatus) =>
    `${applications(count)} changed to ${statusLabels[status]}.`,
  stale: (count: number, changed: number, status: ApplicationStatus) =>
    `${changed === 0 ? '' : `${applications(changed)} changed to ${statusLabels[status]}. `}${applications(count)} ${
      count === 1 ? 'was' : 'were'
    } not changed, because the status has changed since you opened this page. Check the selected ${
      count === 1 ? 'one' : 'ones'
    }, then try again.`,
  archiveName: (day: string) => `applications-${day}.zip`,
} as const
