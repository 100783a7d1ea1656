/** Nothing may be removed: these may be the files of somebody else. The message says what to set right. */
export class NotOurFiles extends Error {
  override readonly name = 'NotOurFiles'
}
