export const fieldTexts = {
  nothingSaved: 'Not saved yet.',
  lookAgain: 'Please check the following:',
} as const
