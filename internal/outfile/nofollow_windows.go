package outfile

// NoFollow has no effect on Windows, which has no such flag; by default only administrators can create links there.
// https://learn.microsoft.com/en-us/windows/security/threat-protection/security-policy-settings/create-symbolic-links
const NoFollow = 0
