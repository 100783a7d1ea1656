import type { FileType } from '../../model/application.ts'

export const listPath = '/account/applications'

export const receiptPath = (applicationId: number) => `${listPath}/${applicationId}`

/** The page shown after the form was sent; `renamed` lists files that were given another extension. */
export function sentPath(
  applicationId: number,
  { isRepeated = false, renamed = [] }: { isRepeated?: boolean; renamed?: readonly FileType[] },
): string {
  const query = isRepeated ? '?repeated=1' : renamed.length > 0 ? `?renamed=${renamed.join()}` : ''
  return receiptPath(applicationId) + query
}
