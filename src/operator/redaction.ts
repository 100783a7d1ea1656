/** What a mail server says often repeats the address. Operators see no people. */
export function withoutAddresses(words: string, placeholder: string): string {
  return words.replaceAll(/<?[^\s<>"'()[\],;:]+@[^\s<>"'()[\],;:]+>?/g, placeholder)
}
