/** The scanner cannot be asked, which passes; any other fault is one of its settings, which stays until it is mended. */
export class ScannerAway extends Error {
  override readonly name = 'ScannerAway'
}
