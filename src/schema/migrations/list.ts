import type { Mark, Migrations } from '../../platform/database/migrating/migration.ts'
import * as foundation from './0001-foundation.ts'
import * as share from './0002-share.ts'
import * as apply from './0003-apply.ts'
import * as people from './0004-people.ts'
import * as manyNodes from './0005-many-nodes.ts'
import * as theWayThrough from './0006-the-way-through.ts'
import * as aFace from './0007-a-face.ts'
import * as bothSides from './0008-both-sides.ts'
import * as events from './0009-events.ts'
import * as setBack from './0010-set-back.ts'
import * as audit from './0011-audit.ts'
import * as proofs from './0012-proofs.ts'
import * as operators from './0013-operators.ts'
import * as agents from './0014-agents.ts'
import * as secondFactors from './0015-second-factors.ts'
import * as clientChanges from './0016-client-changes.ts'
import * as agentCalls from './0017-agent-calls.ts'
import * as passkeys from './0018-passkeys.ts'
import * as requiredFactors from './0019-required-factors.ts'
import * as runningTime from './0020-running-time.ts'
import * as sessionProofs from './0021-session-proofs.ts'
import * as shownResumes from './0023-shown-resumes.ts'
import * as laneHolders from './0025-lane-holders.ts'
import * as lostKeys from './0026-lost-keys.ts'
import * as consentsOfAdvertisers from './0029-consents-of-advertisers.ts'
import * as emailHolders from './0030-email-holders.ts'
import * as undoLinks from './0031-undo-links.ts'
import * as untoldWithdrawals from './0032-untold-withdrawals.ts'
import * as givenUpNotices from './0034-given-up-notices.ts'
import * as webhookRights from './0035-webhook-rights.ts'
import * as reportedStatuses from './0036-reported-statuses.ts'
import * as historySources from './0037-history-sources.ts'
import * as progressGrants from './0038-progress-grants.ts'
import * as prefillProgress from './0039-prefill-progress.ts'
import * as answerDays from './0040-answer-days.ts'
import * as candidateEmails from './0041-candidate-emails.ts'
import * as unanswered from './0042-unanswered.ts'
import * as companyPrivacy from './0043-company-privacy.ts'
import * as heldAds from './0044-held-ads.ts'
import * as heldIndex from './0045-held-index.ts'
import * as questionDetails from './0046-question-details.ts'
import * as answerFiles from './0047-answer-files.ts'
import * as adDays from './0048-ad-days.ts'
import * as zonesIndex from './0048-zones-index.ts'
import * as listEntries from './0049-list-entries.ts'
import * as adDetails from './0050-ad-details.ts'
import * as adFilters from './0050-ad-filters.ts'
import * as adVersions from './0051-ad-versions.ts'
import * as keptApplications from './0052-kept-applications.ts'
import * as adDecisions from './0053-ad-decisions.ts'
import * as emailCodes from './0054-email-codes.ts'
import * as drafts from './0055-drafts.ts'
import * as identities from './0056-identities.ts'
import * as providerSessions from './0057-provider-sessions.ts'
import * as progressScope from './0058-progress-scope.ts'
import * as countedTimes from './0059-counted-times.ts'

/** Of the migrations before the first release. */
const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

/** In order. The SQL of a released migration is never edited: the next one fixes it. */
export const migrations: Migrations = {
  '0001-foundation': { mark, ...foundation },
  '0002-share': { mark, ...share },
  '0003-apply': { mark, ...apply },
  '0004-people': { mark, ...people },
  '0005-many-nodes': { mark, ...manyNodes },
  '0006-the-way-through': { mark, ...theWayThrough },
  '0007-a-face': { mark, ...aFace },
  '0008-both-sides': { mark, ...bothSides },
  '0009-events': { mark, ...events },
  '0010-set-back': setBack,
  '0011-audit': audit,
  '0012-proofs': proofs,
  '0013-operators': operators,
  '0014-agents': agents,
  '0015-second-factors': secondFactors,
  '0016-client-changes': clientChanges,
  '0017-agent-calls': agentCalls,
  '0018-passkeys': passkeys,
  '0019-required-factors': requiredFactors,
  '0020-running-time': runningTime,
  '0021-session-proofs': sessionProofs,
  '0023-shown-resumes': shownResumes,
  '0025-lane-holders': laneHolders,
  '0026-lost-keys': lostKeys,
  '0029-consents-of-advertisers': consentsOfAdvertisers,
  '0030-email-holders': emailHolders,
  '0031-undo-links': undoLinks,
  '0032-untold-withdrawals': untoldWithdrawals,
  '0034-given-up-notices': givenUpNotices,
  '0035-webhook-rights': webhookRights,
  '0036-reported-statuses': reportedStatuses,
  '0037-history-sources': historySources,
  '0038-progress-grants': progressGrants,
  '0039-prefill-progress': prefillProgress,
  '0040-answer-days': answerDays,
  '0041-candidate-emails': candidateEmails,
  '0042-unanswered': unanswered,
  '0043-company-privacy': companyPrivacy,
  '0044-held-ads': heldAds,
  '0045-held-index': heldIndex,
  '0046-question-details': questionDetails,
  '0047-answer-files': answerFiles,
  '0048-ad-days': adDays,
  '0048-zones-index': zonesIndex,
  '0049-list-entries': listEntries,
  '0050-ad-details': adDetails,
  '0050-ad-filters': adFilters,
  '0051-ad-versions': adVersions,
  '0052-kept-applications': keptApplications,
  '0053-ad-decisions': adDecisions,
  '0054-email-codes': emailCodes,
  '0055-drafts': drafts,
  '0056-identities': identities,
  '0057-provider-sessions': providerSessions,
  '0058-progress-scope': progressScope,
  '0059-counted-times': countedTimes,
}
