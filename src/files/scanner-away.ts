/** The scanner is temporarily unavailable. Any other error is a wrong setting, which lasts until it is fixed. */
export class ScannerAway extends Error {
  override readonly name = 'ScannerAway'
}
