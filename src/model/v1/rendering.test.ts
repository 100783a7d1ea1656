import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { asXml, tree } from '../../../test/contract/reading.ts'
import { acceptedDraft, acceptedQuestionnaire } from '../../../test/harness/arbitraries.ts'
import {
  expectedApplication,
  expectedScreenJson,
  expectedScreenXml,
  msDate,
} from '../../../test/harness/contract-model.ts'
import { parseXml } from '../../../test/harness/xml.ts'
import { listFrame } from '../../collect/list-frame.ts'
import { sha256Hex } from '../../platform/core/hashing.ts'
import type { ApplicationDraft } from '../application.ts'
import { type Format, pieceSeparator, renderApplication, renderingEdition } from './rendering.ts'
import { renderScreen } from './screen-rendering.ts'

const owner = { advertiserId: 10000001, agentId: null }
const submittedAt = fc.integer({ min: 0, max: 4_102_444_800_000 })

/** A list of these drafts, put together as the store and the service do it. */
function renderList(
  format: Format,
  drafts: readonly ApplicationDraft[],
  at: number,
  include: boolean,
): string {
  const frame = listFrame(format, owner, { includePrimaryInfo: include })
  const pieces = drafts.map((draft, index) => {
    const { body, primaryInfo } = renderApplication(format, {
      ...draft,
      id: index + 1,
      submittedAt: at,
      jobReference: draft.jobReference ?? null,
      primaryJobSeekingInfo: draft.primaryJobSeekingInfo ?? null,
      screen: draft.screen === undefined ? null : renderScreen(draft.screen),
    })
    return body + (include ? primaryInfo : '')
  })
  const closing = pieces.length > 0 ? frame.closing : ''
  return frame.head + pieces.join(pieceSeparator[format]) + closing + frame.tail
}

test('a list is well-formed, complete and in the order of the contract, and XML matches JSON', () => {
  fc.assert(
    fc.property(
      fc.array(acceptedDraft, { maxLength: 3 }),
      submittedAt,
      fc.boolean(),
      (drafts, at, include) => {
        const withoutContent = drafts.map(draft => ({
          ...draft,
          files: draft.files.map(file =>
            file.scan === 'infected' ? { ...file, scan: 'clean' as const } : file,
          ),
        }))
        const json = renderList('json', withoutContent, at, include)
        const expected = {
          JobApplications: {
            AdvertiserID: owner.advertiserId,
            AfterDate: null,
            AfterID: null,
            BeforeDate: null,
            BeforeID: null,
            AgentID: null,
            JobApplicationsList: withoutContent.map((draft, index) =>
              expectedApplication(
                draft,
                { id: index + 1, submittedAt: at },
                {
                  include,
                  ...(draft.screen === undefined ? {} : { screenXml: renderScreen(draft.screen).xml }),
                },
              ),
            ),
          },
        }
        // As text, because the order of the keys is part of the contract.
        assert.equal(json, JSON.stringify(expected))
        assert.deepEqual(
          tree(renderList('xml', withoutContent, at, include)),
          asXml('JobApplications', expected.JobApplications),
        )
      },
    ),
    { numRuns: 300 },
  )
})

test('a screen is well-formed and the same in both formats', () => {
  fc.assert(
    fc.property(acceptedQuestionnaire, screen => {
      const { json, xml } = renderScreen(screen)
      assert.equal(json, JSON.stringify(expectedScreenJson(screen)))
      assert.deepEqual(parseXml(xml), expectedScreenXml(screen))
    }),
    { numRuns: 300 },
  )
})

test('the frame echoes the filters: IDs as the text that was sent, dates as dates', () => {
  const at = Date.parse('2026-11-14T00:00:00Z')
  const query = {
    afterId: '0042',
    beforeId: '9'.repeat(19),
    afterDate: at,
    beforeDate: at,
    includePrimaryInfo: true,
  }
  const json = listFrame('json', { advertiserId: 1, agentId: 20000001 }, query)
  const echo = {
    AdvertiserID: 1,
    AfterDate: msDate(at),
    AfterID: '0042',
    BeforeDate: msDate(at),
    BeforeID: '9'.repeat(19),
    AgentID: 20000001,
    JobApplicationsList: [],
  }
  assert.equal(json.head + json.tail, JSON.stringify({ JobApplications: echo }))
  const xml = listFrame('xml', { advertiserId: 1, agentId: 20000001 }, query)
  assert.deepEqual(tree(xml.head + xml.tail), asXml('JobApplications', echo))
})

test('a change to the rendering requires a new edition', () => {
  const scans = ['unscanned', 'clean', 'infected'] as const
  const full: ApplicationDraft = {
    jobSeekerId: 'seeker',
    contact: { email: 'a@example.com', firstName: 'Ann', lastName: "O'Neill & Søn", phone: '1' },
    jobReference: 'REF',
    files: (['resume', 'coverLetter', 'selectionCriteria'] as const).map((type, index) => ({
      type,
      sha256: 'ab'.repeat(32),
      size: index,
      uploadedAt: 1_000,
      scan: scans[index] ?? 'clean',
      blob: 'b',
      fileName: 'f',
      contentType: 'text/plain',
    })),
    primaryJobSeekingInfo: { jobTitle: 'T', companyName: 'C', timeInRoleMonths: 3, isNewToWorkForce: true },
  }
  const written = (['json', 'xml'] as const).map(format => renderList(format, [full, full], 2_000, true))
  // When this fails: raise renderingEdition, and put the new hash behind its number.
  const editions: Record<number, string> = {
    1: '56894690ecc883be28ece2532594791a8b774898d1b69d1d23980e1d261f4544',
  }
  assert.equal(sha256Hex(written.join('')), editions[renderingEdition])
})
