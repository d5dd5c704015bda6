package runtime

// UUID is the 16 bytes of a UUID.
type UUID [16]byte

// String is the UUID in its usual form, in lower case.
func (u UUID) String() string {
	hex := appendHex(nil, u[:])
	return string(hex[:8]) + "-" + string(hex[8:12]) + "-" + string(hex[12:16]) + "-" + string(hex[16:20]) + "-" + string(hex[20:])
}

// ParseUUID reads a UUID, with its hyphens.
func ParseUUID(text string) (UUID, error) {
	var uuid UUID
	if len(text) == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' {
		digits := text[:8] + text[9:13] + text[14:18] + text[19:23] + text[24:]
		if bytes, err := hex.DecodeString(digits); err == nil {
			copy(uuid[:], bytes)
			return uuid, nil
		}
	}
	return uuid, fmt.Errorf("%q is not a UUID; write it as 123e4567-e89b-12d3-a456-426614174000", text)
}
