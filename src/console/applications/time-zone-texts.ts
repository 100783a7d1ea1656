export const timeZoneTexts = {
  title: 'Time zone',
  label: "Your company's time zone",
  hint: 'Everyone at your company sees and filters applications by the days and times of this zone.',
  standard: (timeZone: string) => `Default: ${timeZone}`,
  save: 'Save time zone',
  cancel: 'Cancel',
} as const
