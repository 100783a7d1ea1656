import type { FileType } from '../../model/application.ts'

export const listPath = '/account/applications'

export const receiptPath = (applicationId: number) => `${listPath}/${applicationId}`

/** Where a candidate lands after sending the form; `renamed` are files that got another ending. */
export function sentPath(
  applicationId: number,
  { isRepeated = false, renamed = [] }: { isRepeated?: boolean; renamed?: readonly FileType[] },
): string {
  const query = isRepeated ? '?repeated=1' : renamed.length > 0 ? `?renamed=${renamed.join()}` : ''
  return receiptPath(applicationId) + query
}
