/** The files may belong to another database, so none may be removed. The message says what to fix. */
export class NotOurFiles extends Error {
  override readonly name = 'NotOurFiles'
}
