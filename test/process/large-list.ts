import { renderApplication } from '../../src/model/v1/rendering.ts'
import type { Services } from '../harness/services.ts'

const rowsPerInsert = 100

/**
 * A list that exceeds every socket buffer, so that it stays in progress as long as its reader is slow. Written without
 * the apply use case, which would take a minute for it, and with a name that it would not accept.
 */
export async function fillLargeList(
  { database }: Services,
  advertiserId: number,
): Promise<{ ids: number[] }> {
  const ids = Array.from({ length: 4000 }, (_, index) => index + 1)
  const firstName = 'x'.repeat(6000)
  await database.writer.transaction().execute(async trx => {
    for (let start = 0; start < ids.length; start += rowsPerInsert) {
      const views = ids.slice(start, start + rowsPerInsert).map(id => ({
        id,
        submittedAt: Date.parse('2026-11-14T00:00:00Z') + id,
        contact: { email: 'long@example.com', firstName, lastName: 'Long', phone: '' },
        jobSeekerId: `seeker-${id}`,
        jobReference: null,
        files: [],
        primaryJobSeekingInfo: null,
        screen: null,
      }))
      await trx
        .insertInto('applications')
        .values(
          views.map(view => ({
            advertiser_id: advertiserId,
            id: view.id,
            submitted_at: view.submittedAt,
            job_seeker_id: view.jobSeekerId,
            email: view.contact.email,
            first_name: view.contact.firstName,
            last_name: view.contact.lastName,
            phone: view.contact.phone,
          })) as never,
        )
        .execute()
      await trx
        .insertInto('application_pieces')
        .values(
          views.map(view => {
            const { body, primaryInfo } = renderApplication('json', view)
            const key = { advertiser_id: advertiserId, format: 'json' as const, id: view.id }
            return { ...key, body, primary_info: primaryInfo }
          }),
        )
        .execute()
    }
  })
  return { ids }
}

export function idsIn(body: string): number[] {
  const applications: { ID: number }[] = JSON.parse(body).JobApplications.JobApplicationsList
  return applications.map(({ ID }) => ID)
}
