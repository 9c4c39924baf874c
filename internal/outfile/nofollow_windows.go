package outfile

// NoFollow is nothing on Windows, which has no such flag; there only administrators may create links by default.
// https://learn.microsoft.com/en-us/windows/security/threat-protection/security-policy-settings/create-symbolic-links
const NoFollow = 0
