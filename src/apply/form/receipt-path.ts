import type { AnyFileType } from '../../model/application.ts'

export const listPath = '/account/applications'

export const receiptPath = (applicationId: number) => `${listPath}/${applicationId}`

export const discardDraftPath = `${listPath}/drafts/discard`

export const discardPath = (draftId: string) => `${discardDraftPath}?draft=${draftId}`

export const applyPath = (jobAdId: number) => `/jobs/${jobAdId}/apply`

/** The page shown after the form was sent; `renamed` lists files that were given another extension. */
export function confirmationPath(
  applicationId: number,
  { isRepeated = false, renamed = [] }: { isRepeated?: boolean; renamed?: readonly AnyFileType[] },
): string {
  const query = isRepeated ? '?repeated=1' : renamed.length > 0 ? `?renamed=${renamed.join()}` : ''
  return receiptPath(applicationId) + query
}
