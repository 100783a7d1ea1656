import type { Selectable } from 'kysely'
import type { PrimaryJobSeekingInfo } from '../model/application.ts'
import type { Schema } from '../platform/database/tables.ts'

export function primaryInfoOf(
  row: Pick<
    Selectable<Schema['applications']>,
    'is_new_to_work_force' | 'job_title' | 'company_name' | 'time_in_role_months'
  >,
): PrimaryJobSeekingInfo | null {
  if (row.is_new_to_work_force === null) return null
  return {
    ...(row.job_title === null ? {} : { jobTitle: row.job_title }),
    ...(row.company_name === null ? {} : { companyName: row.company_name }),
    ...(row.time_in_role_months === null ? {} : { timeInRoleMonths: row.time_in_role_months }),
    isNewToWorkForce: row.is_new_to_work_force === 1,
  }
}
